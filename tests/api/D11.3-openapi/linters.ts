// Two public linters of OpenAPI documents, with all rules that they recommend. Where a rule cannot apply, this file says why.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/** What a linter says. */
export interface Complaint {
  readonly rule: string;
  readonly message: string;
  /** A JSON Pointer into the document. */
  readonly at: string;
}

/** A rule that cannot apply at some places of the document, and why. */
export interface Exemption {
  readonly rule: string;
  readonly places: RegExp;
  readonly reason: string;
}

const slashes = 'The paths of the service end in a slash, as its interface gives them. It is optional in requests.';

export const exemptions: readonly Exemption[] = [
  { rule: 'no-path-trailing-slash', places: /./, reason: slashes },
  { rule: 'path-keys-no-trailing-slash', places: /./, reason: slashes },
  {
    rule: 'oas3-operation-security-defined',
    places: /\/security\/\d+\/(?:apiKey|session)\/0$/,
    reason:
      'OpenAPI 3.1 lets any scheme list the roles that it needs, here the scopes of a key. The rule knows those of OAuth.',
  },
  {
    rule: 'operation-4xx-response',
    places: /^#\/paths\/~1(?:healthz|readyz|openapi\.json|docs~1|docs~1reference\.js)\/get\//,
    reason: 'These take no key, no parameter and no body, so there is nothing in a request that they could refuse.',
  },
];

export const isExempt = ({ rule, at }: Complaint): boolean =>
  exemptions.some((exemption) => exemption.rule === rule && exemption.places.test(at));

/** What Redocly says of a document, with its `recommended` rules. */
export async function lintByRedocly(document: string): Promise<Complaint[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: document, config });
  return problems.map(({ ruleId, message, location: [place] }) => ({
    rule: ruleId,
    message,
    at: place?.pointer ?? '',
  }));
}

/** What Spectral says of a document, with the recommended rules of `spectral:oas`. */
export async function lintBySpectral(document: string): Promise<Complaint[]> {
  const spectral = new spectralCore.Spectral();
  // Its own type of the rules is not that which the linter takes.
  spectral.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition], rules: {} });
  const problems = await spectral.run(JSON.parse(document) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => ({
    rule: String(code),
    message,
    at: `#/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`,
  }));
}
