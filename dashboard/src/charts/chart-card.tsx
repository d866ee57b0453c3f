import type { EChartsType } from 'echarts/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { listChosen } from '../filters/chosen.tsx';
import type { AnyFilter, Chosen } from '../filters/picker.tsx';
import { download } from '../lib/download.ts';
import { toDayRange, toShortName } from '../lib/format.ts';
import { useAsTable } from '../state/change-search.ts';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { type Answer, Button, Card, CardHead, FailureNote, Skeleton } from '../ui/basics.tsx';
import { type Column, CsvButton, DataTable } from '../ui/data-table.tsx';
import { Door, type DoorTo } from '../ui/door.tsx';
import { Icon } from '../ui/icons.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import { readColor } from './colors.ts';
import { drawPicture } from './picture.ts';
import { loadCharts, Plot, type PlotProps, plotHeight } from './plot.tsx';
import { beforeName, type ChartData, toFirstDayWords } from './series.ts';

interface ChartCardProps extends Pick<PlotProps, 'kind' | 'format' | 'onChoose'> {
  readonly title: string;
  /** What a reader should see in the chart; undefined while loading, and when the chart is empty. */
  readonly remark: ReactNode;
  /** The file's name without extension. */
  readonly file: string;
  readonly data: ChartData | undefined;
  /** What has the data: a failure is shown instead. */
  readonly answer?: Answer;
  /** The filters that it shows, for its picture. */
  readonly filters?: readonly [by: readonly AnyFilter[], chosen: Chosen];
  /** Whether no call of a period, or of a name in it, has a price: its table says so. */
  readonly isUnpriced?: ((period: string, of?: string) => boolean) | undefined;
  /** Where a name of the legend leads. */
  readonly doorOf?: (of: string) => DoorTo | undefined;
  /** In place of an empty chart. */
  readonly none?: ReactNode;
  readonly children?: ReactNode;
}

interface PeriodRow {
  readonly period: string;
  readonly index: number;
}

/** A chart with its legend, its table and its exports. */
export function ChartCard({
  title,
  remark,
  file,
  data,
  answer,
  filters,
  isUnpriced,
  doorOf,
  none,
  children,
  ...plot
}: ChartCardProps) {
  const [isTable, setTable] = useAsTable('chart');
  const { days } = useQuestion();
  const { project } = useAccess();
  const chart = useRef<EChartsType | null>(null);
  // The charts' script loads while the answers do.
  useEffect(() => void loadCharts(), []);
  const isEmpty = data?.series.every(({ values }) => values.every((value) => (value ?? 0) === 0)) ?? false;
  // Clients choose the names, and one may be "Total", so ids are positions.
  const toColumn = (
    id: string,
    name: string,
    values: readonly (number | null)[],
    more: Partial<Column<PeriodRow>> = {},
  ): Column<PeriodRow> => ({
    ...{ id, title: name, unit: 'USD', isNumber: true, value: ({ index }) => values[index] ?? null },
    ...more,
  });
  const columns: Column<PeriodRow>[] = [
    {
      id: 'period',
      title: 'From',
      value: ({ period }) => period,
      show: ({ index }) =>
        plot.onChoose ? (
          <button
            type="button"
            onClick={() => plot.onChoose?.(index)}
            className="rounded font-medium underline-offset-2 hover:underline"
          >
            {data && toFirstDayWords(data, index)}
          </button>
        ) : (
          data && toFirstDayWords(data, index)
        ),
    },
    ...(data?.series ?? []).map(({ name, of, values }, index) =>
      toColumn(`series ${index}`, name, values, {
        isUnpriced: ({ period, index: at }) =>
          of !== undefined && values[at] === 0 && isUnpriced?.(period, of) === true,
      }),
    ),
    ...(data?.before ? [toColumn('before', beforeName, data.before)] : []),
    ...(data?.totals
      ? [
          toColumn('total', 'Total', data.totals, {
            isUnpriced: ({ period, index }) => data.totals?.[index] === 0 && isUnpriced?.(period) === true,
          }),
        ]
      : []),
  ];
  const rows = data?.periods.map((period, index) => ({ period, index }));
  const savePng = () => {
    const drawn = chart.current;
    if (!drawn || !data) return;
    const read = (name: string) => readColor(name, drawn.getDom());
    const canvas = drawn.renderToCanvas({ pixelRatio: 2, backgroundColor: read('--card') });
    const chosen = filters ? listChosen(...filters).map(({ text }) => text) : [];
    const about = [project.name, ...chosen, toDayRange(days)].join(' · ');
    download(`${file}.png`, drawPicture(canvas, { title, about, data, read }));
  };
  return (
    <Card>
      <CardHead title={title} about={remark ?? ''}>
        {children}
        <Button aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          <Icon name={isTable ? 'overview' : 'table'} />
          {isTable ? 'Chart' : 'Table'}
        </Button>
        <CsvButton name={file} columns={columns} rows={isEmpty ? [] : rows} />
        {!isTable && (
          <Button onClick={savePng} disabled={isEmpty || !data}>
            <Icon name="download" />
            PNG
          </Button>
        )}
      </CardHead>
      {answer?.error ? (
        <FailureNote answer={answer} className="m-4" />
      ) : isTable ? (
        <DataTable name={title} columns={columns} rows={rows} idOf={({ period }) => period} />
      ) : (
        <div className="px-4 pb-4">
          <Legend data={data} doorOf={doorOf} />
          {!data ? (
            <Skeleton className={plotHeight} />
          ) : isEmpty ? (
            <div className={`grid place-items-center ${plotHeight}`}>{none ?? <NoneOnDays what="Nothing" />}</div>
          ) : (
            <Plot
              {...plot}
              data={data}
              label={`${title}, ${data.periods.length} periods. Use the arrow keys to step through them, ${plot.onChoose ? 'Enter to show one alone, ' : ''}or the Table button to show all.`}
              handle={chart}
            />
          )}
        </div>
      )}
    </Card>
  );
}

/** A line says that it leads somewhere: in most charts a name of the legend only hides what it is of. */
const LegendName = ({ name, door }: { readonly name: string; readonly door: DoorTo | undefined }) =>
  door ? (
    <Door {...door}>
      <span className="underline decoration-mute/50 underline-offset-2">{toShortName(name, 28)}</span>
    </Door>
  ) : (
    toShortName(name, 28)
  );

const Legend = ({
  data,
  doorOf,
}: Pick<ChartCardProps, 'data'> & { readonly doorOf: ChartCardProps['doorOf'] | undefined }) => (
  <ul className="mb-1 flex min-h-6 flex-wrap gap-x-4 gap-y-1 text-xs text-mute">
    {data?.series.map(({ name, of, color }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two series may have the same name
      <li key={index} className="flex items-center gap-1.5" title={name}>
        <svg className="size-2.5 shrink-0" viewBox="0 0 10 10" aria-hidden="true">
          <rect width="10" height="10" rx="3" fill={`var(${color})`} />
        </svg>
        <LegendName name={name} door={of === undefined ? undefined : doorOf?.(of)} />
      </li>
    ))}
    {data?.before && (
      <li className="flex items-center gap-1.5">
        <svg className="h-2.5 w-4 shrink-0" viewBox="0 0 16 10" aria-hidden="true">
          <path d="M1 5h14" className="stroke-ink" strokeWidth="2" />
        </svg>
        {beforeName}
      </li>
    )}
  </ul>
);
