import { useApi } from '../api/queries.ts';
import type { NextStep, NextSteps, StepKind, WasteCause } from '../api/types.ts';
import { toColumnDollars } from '../lib/format.ts';
import { fromService } from '../lib/from-service.ts';
import { Badge, buttonLook, Card, CardHead, ErrorNote } from '../ui/basics.tsx';
import { Name } from '../ui/name.tsx';
import { PathLink, toPageName } from '../ui/path-link.tsx';
import { Prose } from '../ui/prose.tsx';
import { wasteLabels } from '../waste/causes.ts';

const kindLabels: Readonly<Record<StepKind, string>> = {
  unprofitable_customer: 'Unprofitable customer',
  unpriced_model: 'No price',
  late_price: 'Price has changed',
  invoice_price: 'Another price on the invoice',
  credit_end: 'Credits end',
  waste: 'Waste',
  model_swap: 'Cheaper model',
};

const isCause = (subject: string): subject is WasteCause => Object.hasOwn(wasteLabels, subject);

export const useNextSteps = (isAsked = true) => useApi<NextSteps>('/api/next-steps/', undefined, { enabled: isAsked });

/** What is worth doing next, the largest amount first; `at` a page, what leads there. Nothing where there is none. */
export function NextStepsCard({ at = '/' }: { readonly at?: string }) {
  const { data, error, refetch } = useNextSteps();
  if (error) return <ErrorNote problem={error} retry={() => void refetch()} />;
  const steps = data?.steps.filter(({ link }) => link.startsWith(at));
  const dollars = toColumnDollars(steps?.map(({ amount }) => amount) ?? []);
  if (!steps?.length) return null;
  return (
    <Card aria-label="Next steps">
      <CardHead title="Next steps" about="For the whole project, the largest amounts on top." />
      <ol>
        {steps.map((step) => (
          <StepRow key={`${step.kind} ${step.subject}`} step={step} dollars={dollars} isLinked={at === '/'} />
        ))}
      </ol>
    </Card>
  );
}

interface StepRowProps {
  readonly step: NextStep;
  readonly dollars: (amount: number) => string;
  readonly isLinked: boolean;
}

function StepRow({ step: { kind, subject, amount, reason, link }, dollars, isLinked }: StepRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line px-4 py-3">
      <div className="min-w-0 flex-1 basis-72">
        <h3 className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 break-words">
            {isCause(subject) ? wasteLabels[subject] : <Name name={subject} most={60} />}
          </span>
          <Badge>{kindLabels[kind]}</Badge>
        </h3>
        <p className="mt-0.5 max-w-4xl text-[13px] break-words text-mute">
          <Prose>{fromService(reason, subject)}</Prose>{' '}
          {kind === 'model_swap' && (
            // The same days and models; waste leaves out calls that failed or were not read to the end.
            <PathLink
              path={link.replace(/^[^?]*/, '/what-if')}
              className="whitespace-nowrap text-accent underline underline-offset-2"
            >
              What if, failed calls too
            </PathLink>
          )}
        </p>
      </div>
      <div className="flex items-center gap-4">
        <p className="text-right font-semibold whitespace-nowrap">{dollars(amount)}</p>
        {isLinked && (
          <PathLink path={link} className={`${buttonLook} sm:w-40`}>
            Show {toPageName(link)}
          </PathLink>
        )}
      </div>
    </li>
  );
}
