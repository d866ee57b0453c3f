/** The OpenID provider that members sign in with. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Only people with an e-mail address in these domains sign in; undefined for all whom an owner has invited. */
  readonly allowedDomains: readonly string[] | undefined;
}

/** The values of the settings, by their names; undefined where one is unset or wrong. */
type Values = Readonly<Record<string, unknown>>;

const needed = ['FARTHING_OIDC_ISSUER', 'FARTHING_OIDC_CLIENT_ID', 'FARTHING_OIDC_CLIENT_SECRET'] as const;

/** Settings of the provider that lack others, a line for each. */
export function findOidcFaults(values: Values): string[] {
  const unset = needed.filter((name) => values[name] === undefined);
  const isAsked = unset.length < needed.length || values.FARTHING_OIDC_ALLOWED_DOMAINS !== undefined;
  if (!isAsked) return [];
  const missing = [...unset, ...(values.FARTHING_PUBLIC_URL === undefined ? ['FARTHING_PUBLIC_URL'] : [])];
  return missing.length === 0 ? [] : [`  ${missing.join(', ')}: must be set for sign-in with an OpenID provider`];
}

/** The settings, which have no fault. */
export function toOidc(values: Values): OidcSettings | undefined {
  const [issuer, clientId, clientSecret] = needed.map((name) => values[name]);
  if (typeof issuer !== 'string') return undefined;
  const allowedDomains = values.FARTHING_OIDC_ALLOWED_DOMAINS as readonly string[] | undefined;
  return { issuer, clientId: String(clientId), clientSecret: String(clientSecret), allowedDomains };
}
