import { Gauge, Registry, type RegistryContentType } from 'prom-client';
import type { Project } from '../../accounts/projects.ts';
import { type WatchedDimension, watchedDimensions } from '../../lib/dimensions.ts';
import { toJsonNumber, wideToJsonNumber } from '../../lib/money.ts';
import { type Figures, keepDearest } from './figures.ts';
import { type MetricSpan, metricSpans, type ProjectFigures } from './read-figures.ts';

/** A metric of `GET /api/metrics/`. All are gauges: they fall when a day or month begins. */
export interface ProjectMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The most values of a dimension that have series of their own, in each span: those that cost most. */
export const mostSeries = 100;

/** The value of the series for all other values together. The label `aggregate` tells it from a real value. */
const restValue = 'other';
/**
 * The label of that series. prom-client identifies a series by the text of its labels, sorted by name. This label sorts
 * before every other, so no value that contains such text can be taken for the rest.
 */
const restLabels = { aggregate: 'rest' } as const;

interface Measure {
  readonly unit: string;
  readonly help: string;
  readonly read: (figures: Figures) => number;
}

const measures = {
  cost: { unit: '_usd', help: 'Cost of calls in USD', read: ({ cost }) => wideToJsonNumber(cost) },
  calls: { unit: '', help: 'Calls', read: ({ calls }) => calls },
  errors: { unit: '', help: 'Calls that failed', read: ({ errors }) => errors },
  unpriced_calls: { unit: '', help: 'Calls without a known cost', read: ({ unpricedCalls }) => unpricedCalls },
} as const satisfies Readonly<Record<string, Measure>>;
type MeasureName = keyof typeof measures;
const measureNames = Object.keys(measures) as MeasureName[];

const spanHelp: Readonly<Record<MetricSpan, string>> = {
  today: 'today, in the timezone of the project',
  month: 'in this month up to today',
};

const subjects = ['project', ...watchedDimensions] as const;
type Subject = 'project' | WatchedDimension;

const nameOf = (subject: Subject, measure: MeasureName, span: MetricSpan): string =>
  `farthing_${subject}_${measure}_${span}${measures[measure].unit}`;

const infoMetric: ProjectMetric = {
  name: 'farthing_project_info',
  help: 'The project, always 1.',
  labels: ['id', 'name', 'timezone'],
};

const budgetMetrics = {
  limit: { name: 'farthing_budget_limit_usd', help: 'Amount of a budget in USD.', labels: ['budget'] },
  spent: {
    name: 'farthing_budget_spent_usd',
    help: 'What is spent on a budget in its current period, in USD.',
    labels: ['budget'],
  },
  forecast: {
    name: 'farthing_budget_forecast_usd',
    help: 'What will be spent on a budget at the end of its period, in USD; absent where the days before tell nothing.',
    labels: ['budget'],
  },
} as const satisfies Readonly<Record<string, ProjectMetric>>;

/** Every metric of `GET /api/metrics/`, in the order of the answer. */
export const projectMetrics: readonly ProjectMetric[] = [
  infoMetric,
  ...metricSpans.flatMap((span) =>
    subjects.flatMap((subject) =>
      measureNames.map((measure) => ({
        name: nameOf(subject, measure, span),
        help: `${measures[measure].help} ${spanHelp[span]}${subject === 'project' ? '' : `, by ${subject}`}.`,
        labels: subject === 'project' ? [] : Object.keys({ ...restLabels, [subject]: '' }),
      })),
    ),
  ),
  ...Object.values(budgetMetrics),
];

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** The figures of a project in the format of Prometheus or of OpenMetrics. */
export async function writeExposition(
  { id, name, timezone }: Pick<Project, 'id' | 'name' | 'timezone'>,
  { spans, budgets }: ProjectFigures,
  { isOpenMetrics }: { readonly isOpenMetrics: boolean },
): Promise<Exposition> {
  const registry = new Registry<RegistryContentType>();
  if (isOpenMetrics) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const gauges = new Map(
    projectMetrics.map((metric) => [
      metric.name,
      new Gauge({ name: metric.name, help: metric.help, labelNames: [...metric.labels], registers: [registry] }),
    ]),
  );
  const set = (metric: string, labels: Readonly<Record<string, string>>, value: number) =>
    gauges.get(metric)?.set(labels, value);

  set(infoMetric.name, { id, name, timezone }, 1);
  for (const span of metricSpans) {
    const setAll = (subject: Subject, labels: Readonly<Record<string, string>>, figures: Figures) => {
      for (const measure of measureNames) set(nameOf(subject, measure, span), labels, measures[measure].read(figures));
    };
    setAll('project', {}, spans[span].total);
    for (const dimension of watchedDimensions) {
      const { named, rest } = keepDearest(spans[span].of[dimension], mostSeries);
      for (const [value, figures] of named) setAll(dimension, { [dimension]: value }, figures);
      if (rest) setAll(dimension, { ...restLabels, [dimension]: restValue }, rest);
    }
  }
  for (const { budget, spent, forecast } of budgets) {
    const labels = { budget: budget.name };
    set(budgetMetrics.limit.name, labels, toJsonNumber(budget.amount));
    set(budgetMetrics.spent.name, labels, toJsonNumber(spent));
    if (forecast !== undefined) set(budgetMetrics.forecast.name, labels, toJsonNumber(forecast));
  }
  return { contentType: registry.contentType, text: await registry.metrics() };
}
