const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const camel = (text: string): string => text.replace(/[-_.](\w)/g, (_all, letter: string) => letter.toUpperCase());

/** The name of a schema: `RunRow` of `run-row`. */
export const pascal = (text: string): string => capital(camel(text));

/** The paths of answers as files begin with this: what is at `/api/costs/` is a file at `/api/files/costs/`. */
export const filesPath = '/api/files/';

/**
 * The name of an operation, and of its method in clients. A question has its noun: `POST /api/costs/` is `costs`,
 * `GET /api/calls/{event_id}/` is `call`, `PUT /api/key-metrics/{name}/` is `putKeyMetric`.
 */
export function operationNameOf(method: string, path: string, isQuestion: boolean): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== 'api');
  const words = steps.filter(
    (step, index) =>
      // Stripe's customers are not the project's customers.
      step === 'stripe' || (!step.startsWith('{') && (index === steps.length - 1 || steps[index + 1]?.startsWith('{'))),
  );
  const singular = words.map((word, index) => {
    const isOne = index < words.length - 1 || steps.at(-1)?.startsWith('{');
    return isOne ? word.replace(/s$/, '') : word;
  });
  const noun = camel([...singular, ...(path.startsWith(filesPath) ? ['file'] : [])].join('-'));
  return isQuestion ? noun : method.toLowerCase() + capital(noun);
}
