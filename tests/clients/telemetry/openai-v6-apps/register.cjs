// What OpenTelemetry's documentation has a user write; where the spans go is in the environment alone.
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const sdk = new NodeSDK({ instrumentations: [new OpenAIInstrumentation()] });
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
