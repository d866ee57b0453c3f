// How each kind of client sends its calls to this service: lines to copy. docs/connect/ explains each.

/** Where a client posts, and as whom. */
export interface Target {
  /** The address of the service, without a slash at its end. */
  readonly origin: string;
  readonly clientId: string;
  readonly secret: string;
}

export interface Way {
  readonly label: string;
  /** What is needed before, or happens after; one sentence. */
  readonly about: string;
  readonly steps: readonly { readonly label: string; readonly text: string }[];
}

/** In the order in which they are offered. */
export const wayLabels = {
  typescript: 'TypeScript',
  'ai-sdk': 'AI SDK',
  python: 'Python',
  'otel-node': 'OpenTelemetry · Node',
  'otel-python': 'OpenTelemetry · Python',
  litellm: 'LiteLLM',
  openrouter: 'OpenRouter',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  curl: 'curl',
} as const;
export type WayId = keyof typeof wayLabels;
export const wayIds = Object.keys(wayLabels) as readonly WayId[];

export function toWay(id: WayId, target: Target, eventId: string): Way {
  const label = wayLabels[id];
  const intake = `${target.origin}/intake/${target.clientId}`;
  switch (id) {
    case 'typescript':
      return {
        label,
        about:
          'Wraps the clients of OpenAI, Anthropic, Google GenAI and Mistral; what they return stays the same. The first line runs in the clone of Farthing.',
        steps: [
          { label: 'Shell', text: toSdkInstall(target) },
          {
            label: 'TypeScript',
            text: lines(
              "import { Farthing } from '@farthing/sdk';",
              "import OpenAI from 'openai';",
              '',
              'const farthing = new Farthing();',
              'const openai = farthing.wrap(new OpenAI());',
              '',
              "await farthing.with({ customer: 'acme', feature: 'summarize' }, () =>",
              '  openai.chat.completions.create({',
              "    model: 'gpt-4o-mini',",
              "    messages: [{ role: 'user', content: 'Hello' }],",
              '  }),',
              ');',
              'await farthing.flush();',
            ),
          },
        ],
      };
    case 'ai-sdk':
      return {
        label,
        about:
          'A middleware for the models of the AI SDK 5, 6 and 7, whichever provider they come from. The first line runs in the clone of Farthing.',
        steps: [
          { label: 'Shell', text: toSdkInstall(target) },
          {
            label: 'TypeScript',
            text: lines(
              "import { openai } from '@ai-sdk/openai';",
              "import { Farthing } from '@farthing/sdk';",
              "import { generateText, wrapLanguageModel } from 'ai';",
              '',
              'const farthing = new Farthing();',
              'const model = wrapLanguageModel({',
              "  model: openai('gpt-4o-mini'),",
              '  middleware: farthing.middleware(),',
              '});',
              '',
              "await farthing.with({ customer: 'acme', feature: 'summarize' }, () =>",
              "  generateText({ model, prompt: 'Hello' }),",
              ');',
              'await farthing.flush();',
            ),
          },
        ],
      };
    case 'python':
      return {
        label,
        about:
          'Wraps the clients of OpenAI, Anthropic, Google GenAI, Mistral, Cohere and Bedrock; LiteLLM, LangChain and LlamaIndex have handlers. <clone> is the folder of Farthing.',
        steps: [
          { label: 'Shell', text: lines('pip install <clone>/packages/python openai', toVariables(target)) },
          {
            label: 'Python',
            text: lines(
              'import farthing',
              'from openai import OpenAI',
              '',
              'client = farthing.wrap(OpenAI())',
              '',
              'with farthing.attribute(customer="acme", feature="summarize"):',
              '    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "Hello"}])',
            ),
          },
        ],
      };
    case 'otel-node':
      return {
        label,
        about: 'For any instrumentation with the GenAI conventions: OpenLLMetry, OpenInference, the AI SDK, Langfuse.',
        steps: [
          { label: 'Variables of your service', text: toOtelVariables(target) },
          {
            label: 'Shell, for the AI SDK and others that use the global tracer',
            text: lines(
              'npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node',
              'node --import @opentelemetry/auto-instrumentations-node/register app.js',
            ),
          },
        ],
      };
    case 'otel-python':
      return {
        label,
        about: 'For any instrumentation with the GenAI conventions: OpenLLMetry, OpenInference, Pydantic AI, Langfuse.',
        steps: [
          { label: 'Variables of your service', text: toOtelVariables(target) },
          {
            label: 'Shell, for OpenAI',
            text: lines(
              'pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http opentelemetry-instrumentation-openai',
              'pip install opentelemetry-processor-baggage',
              'opentelemetry-instrument python app.py',
            ),
          },
          {
            label: 'Python, to attribute calls',
            text: lines(
              'from opentelemetry import baggage, context, trace',
              'from opentelemetry.processor.baggage import BaggageSpanProcessor',
              '',
              'trace.get_tracer_provider().add_span_processor(BaggageSpanProcessor(lambda key: key.startswith("farthing.")))',
              'token = context.attach(baggage.set_baggage("farthing.customer", "acme"))',
              '...  # the calls of this customer',
              'context.detach(token)',
            ),
          },
        ],
      };
    case 'litellm':
      return {
        label,
        about: 'Each request through the proxy becomes a call; the customer is the `user` of the request.',
        steps: [
          {
            label: 'config.yaml of the proxy',
            text: lines(
              'litellm_settings:',
              '  callbacks: ["farthing"]',
              'callback_settings:',
              '  farthing:',
              '    callback_type: generic_api',
              `    endpoint: ${intake}/litellm/`,
              '    headers:',
              `      Authorization: Bearer ${target.secret}`,
            ),
          },
        ],
      };
    case 'openrouter':
      return {
        label,
        about: 'OpenRouter sends what it records. This service must be reachable from the internet, over https.',
        steps: [
          { label: 'Settings → Observability → Webhook: URL', text: `${intake}/openrouter/` },
          {
            label: 'Settings → Observability → Webhook: headers',
            text: JSON.stringify({ Authorization: `Bearer ${target.secret}` }),
          },
        ],
      };
    case 'claude-code':
      return {
        label,
        about: 'Each request of the agent becomes a call of the feature “claude-code”, with its user and session.',
        steps: [
          {
            label: 'Shell',
            text: lines(
              toExports({
                CLAUDE_CODE_ENABLE_TELEMETRY: '1',
                OTEL_LOGS_EXPORTER: 'otlp',
                OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
                OTEL_EXPORTER_OTLP_ENDPOINT: intake,
                OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${target.secret}`,
              }),
              'claude',
            ),
          },
        ],
      };
    case 'codex':
      return {
        label,
        about: 'Each request of the agent becomes a call of the feature “codex”, with its user and session.',
        steps: [
          {
            label: '~/.codex/config.toml',
            text: lines(
              '[otel.exporter.otlp-http]',
              `endpoint = "${intake}/v1/logs"`,
              'protocol = "binary"',
              '',
              '[otel.exporter.otlp-http.headers]',
              `Authorization = "Bearer ${target.secret}"`,
            ),
          },
        ],
      };
    case 'curl':
      return {
        label,
        about: 'One event after each call to a model: what any language can post.',
        steps: [{ label: 'Shell', text: toEventCurl(target, eventId) }],
      };
  }
}

/** One event posted with curl. Its id is in the text: sending it twice counts once. */
export function toEventCurl({ origin, clientId, secret }: Target, eventId: string): string {
  const event = {
    event_id: eventId,
    event_type: 'chat.after',
    model: 'gpt-4o-2024-08-06',
    provider: 'openai',
    tags: { customer: 'acme', feature: 'summarize' },
    elapsed_ms: 840,
    prompt_tokens: 412,
    completion_tokens: 87,
  };
  return lines(
    `curl -sS ${origin}/intake/${clientId}/ \\`,
    `  -H 'Authorization: Bearer ${secret}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(event)}'`,
  );
}

const lines = (...all: readonly string[]): string => all.join('\n');

const toExports = (variables: Readonly<Record<string, string>>): string =>
  lines(...Object.entries(variables).map(([name, value]) => `export ${name}="${value}"`));

// The package is not on a registry, so it is packed from its source.
const toSdkInstall = (target: Target): string =>
  lines('npm pack -w packages/sdk', 'npm install <clone>/farthing-sdk-0.1.0.tgz', toVariables(target));

const toVariables = ({ origin, clientId, secret }: Target): string =>
  toExports({ FARTHING_URL: origin, FARTHING_CLIENT_ID: clientId, FARTHING_CLIENT_SECRET: secret });

// The space is written as %20: the values of this variable are percent-encoded, and not every reader takes a space as it is.
const toOtelVariables = ({ origin, clientId, secret }: Target): string =>
  toExports({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${origin}/intake/${clientId}`,
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${secret}`,
  });
