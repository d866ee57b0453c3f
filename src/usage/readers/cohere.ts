import { aiSdkUsage, cohereMeta } from './sources.ts';
import type { TokenCounts } from './token-reader.ts';
import { noInput, noneReported, noOutput, sumReported } from './usage-counts.ts';
import type { UsageObject } from './usage-object.ts';
import { paths, pathsInBothCases } from './usage-paths.ts';

const cohereUsage = 'https://github.com/cohere-ai/cohere-typescript/blob/8.0.1/src/api/types/Usage.ts';
const voyageUsage = 'https://docs.voyageai.com/reference/embeddings-api';

const billed = {
  input: {
    total: pathsInBothCases(cohereUsage, 'billed_units.input_tokens'),
    image: pathsInBothCases(cohereMeta, 'billed_units.image_tokens'),
  },
  output: { total: pathsInBothCases(cohereUsage, 'billed_units.output_tokens') },
};
const counted = {
  input: { total: pathsInBothCases(cohereUsage, 'tokens.input_tokens') },
  output: { total: pathsInBothCases(cohereUsage, 'tokens.output_tokens') },
};

/** Cohere's two pairs of counts. `billed_units` come first, because Cohere bills them. */
export function readCohere(usage: UsageObject): TokenCounts | null {
  const image = usage.count(billed.input.image);
  const text = usage.count(billed.input.total);
  const made = usage.count(billed.output.total);
  if (!noneReported(text, image, made)) {
    // The model's own counts are not billed.
    usage.accept([...counted.input.total, ...counted.output.total]);
    const total = sumReported(text, image);
    return {
      input: { ...noInput, total, totalAsSent: text, image },
      output: { ...noOutput, total: made, totalAsSent: made },
      paths: billed,
    };
  }
  const prompt = usage.count(counted.input.total);
  const completion = usage.count(counted.output.total);
  if (noneReported(prompt, completion)) return null;
  return {
    input: { ...noInput, total: prompt, totalAsSent: prompt },
    output: { ...noOutput, total: completion, totalAsSent: completion },
    paths: counted,
  };
}

const embedded = { input: { total: paths(voyageUsage, 'total_tokens') }, output: {} };
const embeddedByAiSdk = { input: { total: paths(aiSdkUsage, 'tokens') }, output: {} };

/** Embeddings of Voyage, the AI SDK and others. All tokens are input. */
export function readTotalOnly(usage: UsageObject): TokenCounts | null {
  for (const sides of [embedded, embeddedByAiSdk]) {
    if (usage.hasObject(sides.input.total)) continue;
    const total = usage.count(sides.input.total);
    if (total !== undefined)
      return { input: { ...noInput, total, totalAsSent: total }, output: noOutput, paths: sides };
  }
  return null;
}
