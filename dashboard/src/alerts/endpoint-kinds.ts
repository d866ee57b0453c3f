import type { NotificationEndpoint } from '../api/types.ts';

type EndpointKind = NotificationEndpoint['kind'];

export const endpointKinds: Readonly<Record<EndpointKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  email: 'E-mail',
};

/** Where an endpoint sends to. */
export const targetOf = ({ url, address }: NotificationEndpoint): string => url ?? address ?? '';
