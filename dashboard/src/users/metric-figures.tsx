import { Link } from '@tanstack/react-router';
import { useTotal } from '../api/queries.ts';
import type { CostRow, PerformanceRow } from '../api/types.ts';
import { toCount, toDollars } from '../lib/format.ts';
import { useComparedTotals } from '../state/compared-totals.ts';
import { toUnitVersus } from '../state/comparison.ts';
import { toDates, useQuestion } from '../state/question.ts';
import { Dollars } from '../ui/figure.tsx';
import { FigureCard } from '../ui/figure-card.tsx';
import { Prose } from '../ui/prose.tsx';
import { toPerformanceBody } from './body.ts';
import { toUnitLabel, useKeyMetrics } from './units.ts';

/** What stands in the places of the usual number of metrics until they are known. */
const waiting = [
  { name: 'Cost of a unit', unit: null },
  { name: 'Cost of another', unit: null },
];

/** What a unit of each key metric costs, with its change; before there are any, what a run costs. */
export function MetricFigures({ cost }: { readonly cost: CostRow | undefined }) {
  const question = useQuestion();
  const { search, comparison, daysOver, days } = question;
  const metrics = useKeyMetrics();
  const body = toPerformanceBody(question);
  const { row } = useTotal<PerformanceRow>('/api/performance/', { ...body, ...toDates(daysOver) });
  const compared = useComparedTotals<PerformanceRow>('/api/performance/', (range) => ({ ...body, ...toDates(range) }));
  // Key metrics are known by user alone.
  const { customers, models, providers, ctags, rtags } = search;
  const canSplit = [customers, models, providers, ctags, rtags].every((filter) => filter === undefined);
  const shown = metrics.data?.key_metrics;
  const hasRuns = cost !== undefined && cost.max_feature_run_cost > 0;
  if (shown?.length === 0) {
    return (
      <>
        <FigureCard
          icon="features"
          label="Cost of a run"
          value={cost && (hasRuns ? <Dollars value={cost.avg_feature_run_cost} /> : '–')}
          door={{ to: '/features' }}
          about={cost && (hasRuns ? `at most ${toDollars(cost.max_feature_run_cost)}` : 'no run of a feature')}
        />
        <FigureCard
          icon="percent"
          label="Cost of a unit"
          value="–"
          about={
            <Link to="/users" search={true} className="text-accent underline underline-offset-2">
              Add a key metric
            </Link>
          }
        />
      </>
    );
  }
  const costOf = (some: PerformanceRow | undefined, name: string) => some?.key_metrics[name]?.cost_per_unit;
  return (shown ?? waiting).map(({ name, unit }) => {
    const its = row?.key_metrics[name];
    const label = shown ? toUnitLabel({ name, unit }) : name;
    return (
      <FigureCard
        key={name}
        icon="features"
        label={label}
        door={canSplit ? { to: '/users', search: { metric: name } } : undefined}
        value={!canSplit ? '–' : row && (its && its.value > 0 ? <Dollars value={its.cost_per_unit} /> : '–')}
        about={
          !canSplit ? (
            'remove the filters to see it'
          ) : (
            <>
              <Prose>
                {toUnitVersus(comparison, costOf(compared.now.row, name), costOf(compared.before.row, name))}
              </Prose>
              {its && (
                <Link
                  to="/users"
                  search={(others) => ({ ...others, metric: name })}
                  className="block underline decoration-line underline-offset-2 hover:decoration-current"
                >
                  of {toCount(its.value)} {name}
                  {daysOver.to !== days.to && ', without today'}
                </Link>
              )}
            </>
          )
        }
      />
    );
  });
}
