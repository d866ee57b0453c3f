import type { EChartsType } from 'echarts/core';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { toAxisDollars, toShortDay, toShortName } from '../lib/format.ts';
import { readColor } from './colors.ts';
import { moveByKey } from './move.ts';
import { beforeName, type ChartData, type Series, toPeriodWords } from './series.ts';

export interface PlotProps {
  readonly data: ChartData;
  readonly kind: 'bars' | 'lines';
  /** Writes values that stand below each other, such as those of a period. */
  readonly format: (values: readonly number[]) => (value: number) => string;
  readonly label: string;
  readonly handle?: RefObject<EChartsType | null>;
  /** Called with the place of a period that is clicked, or chosen with Enter. */
  readonly onChoose?: ((index: number) => void) | undefined;
}

const dark = window.matchMedia('(prefers-color-scheme: dark)');
export const loadCharts = () => import('./echarts.ts');

/** On a wide screen a chart is higher too, but not on a sheet of paper. */
export const plotHeight = 'h-72 min-[1920px]:h-96 [.paper_&]:h-60';

/** It is drawn for the window, and scaled to a sheet. */
const onPaper =
  'print:h-auto! print:[&>div]:h-auto! print:[&>div]:w-full! print:[&_canvas]:static! print:[&_canvas]:h-auto! print:[&_canvas]:w-full!';

const noHover = window.matchMedia('(hover: none)');
const useIsDark = () =>
  useSyncExternalStore(
    (notify) => {
      dark.addEventListener('change', notify);
      return () => dark.removeEventListener('change', notify);
    },
    () => dark.matches,
  );

/**
 * A chart on a canvas. For keyboards and screen readers it is a slider over its periods, with the values of the tooltip.
 * The table shows all periods.
 */
export function Plot({ data, kind, format, label, handle, onChoose }: PlotProps) {
  const [at, setAt] = useState<number>();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const isDark = useIsDark();
  const choose = useRef(onChoose);
  useEffect(() => {
    choose.current = onChoose;
  }, [onChoose]);

  // In the frame of its data where the script is there: to draw the page without it first takes time of its own.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new colours need a new chart; new data is set below
  useLayoutEffect(() => {
    let isGone = false;
    let observer: ResizeObserver | undefined;
    const element = place.current;
    void loadCharts().then(({ init }) => {
      if (isGone || !element) return;
      chart.current = init(element);
      if (handle) handle.current = chart.current;
      chart.current.setOption(toOption({ data, kind, format, element }), true);
      listenToClicks(chart.current, (index) => choose.current?.(index));
      observer = new ResizeObserver(() => {
        // It reports at once too, and drawing takes as long again.
        if (chart.current?.getWidth() !== element.clientWidth || chart.current.getHeight() !== element.clientHeight)
          chart.current?.resize();
      });
      observer.observe(element);
    });
    return () => {
      isGone = true;
      observer?.disconnect();
      chart.current?.dispose();
      chart.current = null;
      if (handle) handle.current = null;
    };
  }, [isDark]);

  useLayoutEffect(() => {
    const element = place.current;
    if (element) chart.current?.setOption(toOption({ data, kind, format, element }), true);
  }, [data, kind, format]);

  const shown = Math.min(at ?? 0, data.periods.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      chart.current?.dispatchAction({ type: 'hideTip' });
      return;
    }
    if (event.key === 'Enter') {
      if (at !== undefined) onChoose?.(shown);
      return;
    }
    const next = moveByKey(event.key, at, data.periods.length);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    chart.current?.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: next });
  };
  return (
    <div
      ref={place}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={data.periods.length - 1}
      aria-valuenow={shown}
      aria-valuetext={[
        toPeriodWords(data, shown),
        ...listPoints(data, shown, format).map(({ name, text }) => `${name}: ${text}`),
      ].join(', ')}
      onKeyDown={onKeyDown}
      onBlur={() => chart.current?.dispatchAction({ type: 'hideTip' })}
      className={`${plotHeight} ${onPaper} w-full rounded-lg ${onChoose ? '[&_*]:cursor-pointer!' : ''}`}
    />
  );
}

/** Reports the period that is clicked. Where a finger shows the text of a period first, its second tap is the click. */
function listenToClicks(chart: EChartsType, report: (index: number) => void) {
  let tapped: number | undefined;
  chart.getZr().on('click', ({ offsetX, offsetY }) => {
    if (!chart.containPixel('grid', [offsetX, offsetY])) return;
    const [index = 0] = chart.convertFromPixel('grid', [offsetX, offsetY]) as number[];
    if (!noHover.matches || tapped === index) report(index);
    tapped = index;
  });
}

interface Point {
  readonly name: string;
  readonly text: string;
  /** The colour of the series; the total and the days before have none. */
  readonly color?: string;
}

/** The values of a period: every series that is not 0, the total, and the days before. */
function listPoints({ series, totals, before }: ChartData, index: number, format: PlotProps['format']): Point[] {
  const points: (Omit<Point, 'text'> & { readonly value: number })[] = series.flatMap(({ name, values, color }) => {
    const value = values[index] ?? 0;
    return value === 0 ? [] : [{ name, value, color }];
  });
  const total = totals?.[index];
  if (total !== undefined) points.push({ name: 'Total', value: total });
  const then = before?.[index];
  if (then !== undefined && then !== null) points.push({ name: beforeName, value: then });
  const write = format(points.map(({ value }) => value));
  return points.map(({ value, ...point }) => ({ ...point, text: write(value) }));
}

/** How high its bars or lines reach. */
const listLevels = ({ periods, series, before = [] }: ChartData, isStacked: boolean): number[] => {
  const values = series.map((one) => one.values.map(Number));
  const own = isStacked ? periods.map((_, at) => values.reduce((sum, its) => sum + (its[at] ?? 0), 0)) : values.flat();
  return [...own, ...before.map(Number)];
};

function toOption({ data, kind, format, element }: OptionProps) {
  const read = (name: string) => readColor(name, element);
  const [ink, mute, line, card] = ['--ink', '--mute', '--line', '--card'].map(read);
  const font = { fontFamily: 'Inter Variable, sans-serif', fontSize: 12 };
  const isStacked = kind === 'bars';
  return {
    animation: false,
    textStyle: font,
    grid: { left: 8, right: 12, top: 12, bottom: 4, containLabel: true },
    tooltip: {
      trigger: 'axis',
      axisPointer: { type: isStacked ? 'shadow' : 'line' },
      backgroundColor: card,
      borderColor: line,
      textStyle: { ...font, color: ink },
      confine: true,
      formatter: (points: unknown) => toTooltip(points, data, format),
    },
    xAxis: {
      type: 'category',
      data: data.periods.map(toShortDay),
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
      axisLabel: { color: mute, hideOverlap: true, margin: 12 },
    },
    yAxis: {
      type: 'value',
      splitLine: { lineStyle: { color: line } },
      axisLabel: { color: mute, formatter: toAxisDollars(listLevels(data, isStacked)) },
    },
    series: [
      ...data.series.map(({ name, values, color }, index) => ({
        name,
        color: read(color),
        emphasis: { disabled: true },
        ...(isStacked
          ? {
              type: 'bar',
              data: values.map((value, period) => ({
                value,
                itemStyle: {
                  borderRadius: isOnTop(data, index, period) ? [3, 3, 0, 0] : 0,
                  ...(period === data.running && { decal: { ...hatching, color: card } }),
                },
              })),
              stack: 'all',
              barCategoryGap: '28%',
              barMaxWidth: 48,
            }
          : {
              type: 'line',
              data: values.map((value, period) => (period === data.running ? null : value)),
              showSymbol: values.length === 1,
              lineStyle: { width: 2 },
            }),
      })),
      ...(isStacked || data.running === undefined ? [] : data.series.map((one) => toRunning(one, data.running, read))),
      ...(data.before
        ? [
            {
              name: beforeName,
              type: 'line',
              // A mark stays as wide as its bar.
              emphasis: { disabled: true, scale: false },
              data: data.before.slice(0, data.periods.length),
              color: ink,
              ...(isStacked
                ? {
                    // One mark across each bar: a line through all of them would hide the bars.
                    lineStyle: { width: 0 },
                    showAllSymbol: true,
                    symbol: 'rect',
                    symbolSize: [calcMarkWidth(element.clientWidth, data.periods.length), 2],
                  }
                : { showSymbol: data.periods.length === 1, lineStyle: { width: 1.5, type: 'dashed' } }),
            },
          ]
        : []),
    ],
  };
}

/** The way of a line to the period that is not over, dotted. */
const toRunning = ({ name, values, color }: Series, running = 0, read: (name: string) => string) => ({
  name,
  type: 'line',
  color: read(color),
  emphasis: { disabled: true },
  data: values.map((value, period) => (period === running || period === running - 1 ? value : null)),
  showSymbol: running === 0,
  lineStyle: { width: 2, type: 'dotted' },
});

interface OptionProps extends Omit<PlotProps, 'label' | 'handle' | 'onChoose'> {
  /** Where the chart is drawn. */
  readonly element: Element;
}

/** Over a period that is not over: thin stripes in the colour of the card. */
const hatching = { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [3, 3], rotation: -Math.PI / 4 };

/** The approximate width of a bar, in pixels, allowing for the axis. */
const calcMarkWidth = (width: number, bars: number): number =>
  Math.max(3, Math.min(48, (0.72 * (width - 72)) / Math.max(bars, 1)));

/** Whether a series is the top of a period's stack. */
const isOnTop = ({ series }: ChartData, index: number, period: number): boolean =>
  series.slice(index + 1).every(({ values }) => (values[period] ?? 0) === 0);

/** Built from elements, not HTML: names come from clients, and the page's policy forbids inline styles. */
function toTooltip(points: unknown, data: ChartData, format: PlotProps['format']): HTMLElement {
  const [first] = Array.isArray(points) ? points : [points];
  const index: number = first?.dataIndex ?? 0;
  const box = document.createElement('div');
  const title = box.appendChild(document.createElement('div'));
  title.className = 'mb-1 font-semibold';
  title.textContent = toPeriodWords(data, index);
  for (const { name, text, color } of listPoints(data, index, format)) {
    const row = box.appendChild(document.createElement('div'));
    const isWhole = name === 'Total' && color === undefined;
    row.className = `flex items-center justify-between gap-6 ${isWhole ? 'mt-1 border-t border-line pt-1 font-semibold' : ''}`;
    const label = row.appendChild(document.createElement('span'));
    label.className = 'flex items-center gap-1.5';
    if (color !== undefined) {
      const dot = label.appendChild(document.createElement('span'));
      dot.className = 'size-2 rounded-xs';
      dot.style.background = `var(${color})`;
    }
    label.append(toShortName(name));
    row.append(text);
  }
  return box;
}
