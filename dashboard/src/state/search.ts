import {
  byPlural,
  callDimensions,
  dimensionNames,
  dimensions,
  type Plural,
  type WatchedDimension,
  watchedDimensions,
} from '../../../src/lib/dimensions.ts';
import type { Dimension, Granularity, WasteCause } from '../api/types.ts';
import { isDay } from '../lib/is-day.ts';
import { type Group, isTagGroup, type TagGroup } from './group.ts';

// Everything that decides what a page shows is in its URL, so that a link shows the same.

export const presets = {
  '7d': 'Last 7 days',
  '4w': 'Last 4 weeks',
  '13w': 'Last 13 weeks',
  mtd: 'This month',
  lm: 'Last month',
  ytd: 'This year',
} as const;
export type Preset = keyof typeof presets;
export const defaultPreset: Preset = '4w';

/** What the changes of "What changed the cost most" are listed by. */
export type Changing = 'cause' | WatchedDimension | 'user' | TagGroup;
const changing: readonly Changing[] = ['cause', ...watchedDimensions, 'user'];

/** What invoices can be compared by. */
export type ReconciledBy = 'provider' | 'model';
const reconciledBy: readonly ReconciledBy[] = ['provider', 'model'];

/** The orders of calls, beside the newest first. */
const callOrders = ['oldest', 'dearest', 'most_tokens', 'slowest'] as const;
type CallOrder = (typeof callOrders)[number];

/** What the drift of a close is listed by. */
export type DriftBy = 'day' | 'customer' | 'cause';
const driftBy: readonly DriftBy[] = ['day', 'customer', 'cause'];

export const wasteCauses: readonly WasteCause[] = ['failed', 'retried', 'aborted', 'uncached_input', 'dearer_model'];

export type Tags = Readonly<Record<string, readonly string[]>>;

/** What can be shown as a table instead: the chart of the page, or the waterfall of changes. */
export type Drawn = 'chart' | 'changes';
const drawn: readonly Drawn[] = ['chart', 'changes'];

/** The assumed model, by the model that it replaces. */
export type Swap = Readonly<Record<string, string>>;

export interface Search extends Readonly<Partial<Record<Plural, readonly string[] | undefined>>> {
  /** Only for the admin token, which can use any project. */
  readonly project?: string | undefined;
  readonly range?: Preset | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly every?: Granularity | undefined;
  readonly by?: Group | undefined;
  readonly credits?: boolean | undefined;
  /** Costs with shared costs, on pages that show them. */
  readonly shared?: boolean | undefined;
  readonly ctags?: Tags | undefined;
  readonly rtags?: Tags | undefined;
  readonly utags?: Tags | undefined;
  /** Only calls whose cost is wasted, by these causes. */
  readonly waste?: readonly WasteCause[] | undefined;
  /** The models that others are compared with. */
  readonly swap?: Swap | undefined;
  /** The share of the input that is assumed to be cached, in percent. */
  readonly cached?: number | undefined;
  /** The service tier that is assumed. */
  readonly tier?: string | undefined;
  /** The id of the dry run that is shown: of what if, or of a reprice. */
  readonly asked?: string | undefined;
  /** What is shown as a table. */
  readonly table?: readonly Drawn[] | undefined;
  /** The kind of alerts whose history is shown. */
  readonly kind?: string | undefined;
  /** The stack that is connected. */
  readonly way?: string | undefined;
  /** False hides the days before. */
  readonly compare?: false | undefined;
  /** Which calls come first, if not the newest. */
  readonly order?: CallOrder | undefined;
  /** What the largest changes are listed by. */
  readonly changes?: Changing | undefined;
  /** The key metric of the chart. */
  readonly metric?: string | undefined;
  /** The budget that is shown alone. */
  readonly budget?: string | undefined;
  /** The month of the invoices, as YYYY-MM. */
  readonly month?: string | undefined;
  readonly reconciled?: ReconciledBy | undefined;
  /** The provider or model whose difference is shown alone. */
  readonly of?: string | undefined;
  /** The close whose drift is shown. */
  readonly close?: string | undefined;
  readonly drift?: DriftBy | undefined;
  /** The id of a close: costs, margins, performance and usage as they were then. */
  readonly as_of?: string | undefined;
  /** The simulation of plans that is shown; its page reads it. */
  readonly sheet?: unknown;
  readonly sort?: string | undefined;
  readonly q?: string | undefined;
  /** The columns that are chosen, by table. */
  readonly columns?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The order and the typed text of tables that have their own, by table. */
  readonly lists?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The name of the saved view that is shown. */
  readonly view?: string | undefined;
}

const granularities: readonly Granularity[] = ['day', 'week', 'month', 'quarter', 'year'];
const isGranularity = (value: unknown): value is Granularity => granularities.some((one) => one === value);
const isPreset = (value: unknown): value is Preset => typeof value === 'string' && Object.hasOwn(presets, value);
const isChanging = (value: unknown): value is Changing =>
  isTagGroup(value) || changing.some((dimension) => dimension === value);
const isReconciledBy = (value: unknown): value is ReconciledBy => reconciledBy.some((one) => one === value);
const isDriftBy = (value: unknown): value is DriftBy => driftBy.some((one) => one === value);
const isMonth = (value: unknown): value is string => typeof value === 'string' && isDay(`${value}-01`);
const isDimension = (value: unknown): value is Dimension => callDimensions.some((dimension) => dimension === value);

function toNames(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value.filter((name) => typeof name === 'string' || typeof name === 'number').map(String);
  return names.length > 0 ? names : undefined;
}

/** The values that a list also has, in their own order. */
function toChosen<Value>(values: readonly Value[], raw: unknown): readonly Value[] | undefined {
  const chosen = values.filter((value) => Array.isArray(raw) && raw.includes(value));
  return chosen.length > 0 ? chosen : undefined;
}

function toSwap(value: unknown): Swap | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value).filter(([from, to]) => from !== '' && typeof to === 'string' && to !== '');
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const isPercent = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 100;

function toTags(value: unknown): Tags | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).flatMap(([key, values]) => {
    const names = toNames(values);
    return names && key !== '' ? [[key, names] as const] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined;

/** Reads the parameters of a URL. Invalid ones are ignored, since a URL may be typed by hand. */
export function parseSearch(raw: Record<string, unknown>): Search {
  const isCustom = isDay(raw.from) && isDay(raw.to) && raw.from <= raw.to;
  return {
    project: toText(raw.project),
    range: !isCustom && isPreset(raw.range) ? raw.range : undefined,
    from: isCustom ? String(raw.from) : undefined,
    to: isCustom ? String(raw.to) : undefined,
    every: isGranularity(raw.every) ? raw.every : undefined,
    by: isDimension(raw.by) || isTagGroup(raw.by) ? raw.by : undefined,
    credits: raw.credits === true ? true : undefined,
    shared: raw.shared === true ? true : undefined,
    ...byPlural(dimensionNames, (name) => toNames(raw[dimensions[name].plural])),
    ctags: toTags(raw.ctags),
    rtags: toTags(raw.rtags),
    utags: toTags(raw.utags),
    waste: toChosen(wasteCauses, raw.waste),
    swap: toSwap(raw.swap),
    cached: isPercent(raw.cached) ? raw.cached : undefined,
    tier: toText(raw.tier),
    asked: toText(raw.asked),
    table: toChosen(drawn, raw.table),
    kind: toText(raw.kind),
    way: toText(raw.way),
    compare: raw.compare === false ? false : undefined,
    order: callOrders.find((order) => order === raw.order),
    changes: isChanging(raw.changes) ? raw.changes : undefined,
    metric: toText(raw.metric),
    budget: toText(raw.budget),
    month: isMonth(raw.month) ? raw.month : undefined,
    reconciled: isReconciledBy(raw.reconciled) ? raw.reconciled : undefined,
    of: raw.of === '' ? '' : toText(raw.of),
    close: toText(raw.close),
    drift: isDriftBy(raw.drift) ? raw.drift : undefined,
    as_of: toText(raw.as_of),
    sheet: raw.sheet,
    sort: toText(raw.sort),
    q: toText(raw.q),
    columns: toTags(raw.columns),
    lists: toTags(raw.lists),
    view: toText(raw.view),
  };
}

export interface DayRange {
  readonly from: string;
  readonly to: string;
}
