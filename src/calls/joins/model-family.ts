/** What stands before a model's name: a path of a gateway or cloud, a region, a maker. */
const prefixes =
  /^(?:.*\/|(?:us|eu|apac|jp|au|ca|global|us-gov)\.|(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|google|qwen)\.|ft:)/;

/** What stands after it: a date, a version of a cloud, an alias of the newest one. */
const suffixes =
  /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{6,8}|-v\d+(?::\d+)?|:\d+|-latest|-preview(?:-\d{2}-\d{2}(?:-\d{4})?)?|-exp(?:-\d{2}-\d{2})?|-0\d{2}|:[a-z][\w-]*)$/;

/**
 * The name of a model without what one emitter writes and another leaves out, so that `openai/gpt-4o` and
 * `gpt-4o-2024-08-06` are equal.
 */
export function modelFamily(model: string): string {
  let name = model.toLowerCase();
  for (let before = ''; before !== name; ) {
    before = name;
    name = name.replace(prefixes, '').replace(suffixes, '');
  }
  return name.replaceAll('.', '-');
}

/** Whether two names may be of one model: a name that is missing may be any. */
export const mayBeOneFamily = (one: string, other: string): boolean => one === '' || other === '' || one === other;
