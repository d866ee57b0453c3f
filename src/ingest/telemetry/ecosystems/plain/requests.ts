import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/README.md',
  version: '1.41.0',
};

/** What the conventions say of requests, whichever library makes them. */
export const requests: PlainAttributes = {
  words: [
    'error.type',
    'error.code',
    'exception.type',
    'exception.escaped',
    'http.method',
    'http.request.method',
    'http.response.status_code',
    'http.status_code',
    'network.peer.address',
    'network.peer.port',
    'network.protocol.name',
    'network.protocol.version',
    'network.transport',
    'net.peer.name',
    'net.peer.port',
    'otel.status_code',
    'otel.scope.name',
    'otel.scope.version',
    'peer.service',
    'retry_attempts',
    'rpc.grpc.status_code',
    'rpc.method',
    'rpc.system',
    'server.port',
    'url.scheme',
    'user_agent.name',
    'user_agent.version',
    'thread.id',
  ],
  names: ['rpc.service', 'server.address', 'thread.name'],
  namespaces: ['http', 'network', 'net', 'rpc', 'server', 'thread'],
  events: ['exception'],
  source,
};
