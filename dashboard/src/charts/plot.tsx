import type { EChartsType } from 'echarts/core';
import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import { toDay, toShortDay } from '../lib/format.ts';
import type { ChartData } from './series.ts';

export interface PlotProps {
  readonly data: ChartData;
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly formatAxis: (value: number) => string;
  readonly label: string;
  readonly handle?: RefObject<EChartsType | null>;
}

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const useIsDark = () =>
  useSyncExternalStore(
    (notify) => {
      dark.addEventListener('change', notify);
      return () => dark.removeEventListener('change', notify);
    },
    () => dark.matches,
  );

/** A chart on a canvas. What it shows is also there as a table: the canvas is an image with a label. */
export function Plot({ data, kind, format, formatAxis, label, handle }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const isDark = useIsDark();

  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew for other colours; other data is set below
  useEffect(() => {
    let isGone = false;
    let observer: ResizeObserver | undefined;
    const element = place.current;
    void import('./echarts.ts').then(({ init }) => {
      if (isGone || !element) return;
      chart.current = init(element);
      if (handle) handle.current = chart.current;
      chart.current.setOption(toOption({ data, kind, format, formatAxis }), true);
      observer = new ResizeObserver(() => chart.current?.resize());
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

  useEffect(() => {
    chart.current?.setOption(toOption({ data, kind, format, formatAxis }), true);
  }, [data, kind, format, formatAxis]);

  return <div ref={place} role="img" aria-label={label} className="h-72 w-full" />;
}

const cssColor = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function toOption({ data, kind, format, formatAxis }: Omit<PlotProps, 'label' | 'handle'>) {
  const [ink, mute, line, card] = ['--ink', '--mute', '--line', '--card'].map(cssColor);
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
      axisLabel: { color: mute, formatter: formatAxis },
    },
    series: data.series.map(({ name, values, color }, index) => ({
      name,
      type: isStacked ? 'bar' : 'line',
      data: values,
      color,
      ...(isStacked
        ? {
            stack: 'all',
            barCategoryGap: '28%',
            barMaxWidth: 48,
            itemStyle: index === data.series.length - 1 ? { borderRadius: [3, 3, 0, 0] } : {},
          }
        : { showSymbol: values.length === 1, lineStyle: { width: 2 }, smooth: false }),
    })),
  };
}

/** Elements, not HTML: names come from clients, and the page's policy allows no styles in HTML. */
function toTooltip(points: unknown, data: ChartData, format: (value: number) => string): HTMLElement {
  const [first] = Array.isArray(points) ? points : [points];
  const index: number = first?.dataIndex ?? 0;
  const box = document.createElement('div');
  const title = box.appendChild(document.createElement('div'));
  title.className = 'mb-1 font-semibold';
  title.textContent = toDay(data.periods[index] ?? '');
  const addLine = (name: string, value: number, color?: string) => {
    const row = box.appendChild(document.createElement('div'));
    row.className = `flex items-center justify-between gap-6 ${color === undefined ? 'mt-1 border-t border-line pt-1 font-semibold' : ''}`;
    const label = row.appendChild(document.createElement('span'));
    label.className = 'flex items-center gap-1.5';
    if (color !== undefined) {
      const dot = label.appendChild(document.createElement('span'));
      dot.className = 'size-2 rounded-xs';
      dot.style.background = color;
    }
    label.append(name.length > 40 ? `${name.slice(0, 40)}…` : name);
    row.append(format(value));
  };
  for (const { name, values, color } of data.series) {
    const value = values[index] ?? 0;
    if (value !== 0) addLine(name, value, color);
  }
  const total = data.totals?.[index];
  if (total !== undefined) addLine('Total', total);
  return box;
}
