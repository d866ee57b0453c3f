import { compareCodePoints } from '../../lib/code-points.ts';
import { remembered } from '../../lib/remembered.ts';
import { isKnownModel } from '../../pricing/known-models.ts';

/** What stands before a model's name: a path of a gateway or cloud, a region, a maker. */
const prefixes =
  /^(?:.*\/|(?:us|eu|apac|jp|au|ca|global|us-gov)\.|(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|google|qwen)\.|ft:)/;

/** What stands after it: a date, a version of a cloud, an alias of the newest one. */
const suffixes =
  /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{6,8}|-v\d+(?::\d+)?|:\d+|-latest|-preview(?:-\d{2}-\d{2}(?:-\d{4})?)?|-exp(?:-\d{2}-\d{2})?|-0\d{2}|:[a-z][\w-]*)$/;

/** Without what only some emitters write: `openai/gpt-4o` and `gpt-4o-2024-08-06` are equal. */
export const modelFamily = remembered((model) => {
  let name = model.toLowerCase();
  for (let before = ''; before !== name; ) {
    before = name;
    name = name.replace(prefixes, '').replace(suffixes, '');
  }
  return name.replaceAll('.', '-');
}, 1_000);

/** The name that says most: known rather than a deployment's, dated rather than an alias. '' if none is given. */
export function fullestModel(names: readonly string[]): string {
  const [first = '', ...others] = [...new Set(names)].filter((name) => name !== '');
  const isOneFamily = others.every((name) => modelFamily(name) === modelFamily(first));
  const known = isOneFamily ? [] : [first, ...others].filter(isKnownModel);
  const [fullest = first] = (known.length > 0 ? known : [first, ...others]).sort(
    (a, b) => detailOf(b) - detailOf(a) || a.length - b.length || compareCodePoints(a, b),
  );
  return fullest;
}

/** How much a name has beside that of its family: an alias and a path before it say nothing. */
const detailOf = (name: string): number =>
  name.replace(/^.*\//, '').replace(/-latest$/i, '').length - modelFamily(name).length;

/** Whether the reports of one answer may be of one model: the name of a deployment may be of any. */
export const mayBeOneModel = (one: ModelNames, other: ModelNames): boolean =>
  mayBeOneFamily(one.family, other.family) || !isKnownModel(one.model) || !isKnownModel(other.model);

interface ModelNames {
  readonly model: string;
  readonly family: string;
}

/** Whether two names may be of one model: a name that is missing may be any. */
export const mayBeOneFamily = (one: string, other: string): boolean => one === '' || other === '' || one === other;
