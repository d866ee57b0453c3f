/** A service of a cloud that answers model calls, by the names that its bills have. */
interface AiService {
  /** As calls name it. */
  readonly provider: string;
  readonly names: RegExp;
  /** Where the names were read. */
  readonly source: string;
}

/**
 * The services whose charges are compared with calls. Machines that one rents to run models, as SageMaker's and Azure
 * Machine Learning's, are not among them: no call says what they cost.
 */
const aiServices: readonly AiService[] = [
  {
    provider: 'aws',
    // Models of others are sold as services of their own: "Claude Sonnet 4.5 (Amazon Bedrock Edition)".
    names: /^Amazon ?Bedrock\b|\(Amazon Bedrock Edition\)$/i,
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/cost-management.html',
  },
  {
    provider: 'azure',
    names:
      /^(?:Azure OpenAI(?: Service)?|Azure AI (?:Services|Foundry.*)|(?:Microsoft )?Foundry (?:Models|Tools)|Cognitive Services)$/i,
    source: 'https://github.com/microsoft/finops-toolkit/blob/dev/src/open-data/Services.csv',
  },
  {
    provider: 'google',
    names: /^(?:Vertex AI(?: API)?|Gemini API|Generative Language API)$/i,
    source: 'https://cloud.google.com/skus/sku-groups',
  },
  { provider: 'openai', names: /^OpenAI\b/i, source: 'https://openai.com/api/pricing/' },
  { provider: 'anthropic', names: /^(?:Anthropic|Claude API)\b/i, source: 'https://claude.com/pricing#api' },
];

/** The provider, as calls name it, of a service or of who sells it; undefined if it answers no model calls. */
export const providerOfService = (service: string, seller: string): string | undefined =>
  (aiServices.find(({ names }) => names.test(service)) ?? aiServices.find(({ names }) => names.test(seller)))?.provider;
