import { useMemo } from 'react';
import { dimensions } from '../../../src/lib/dimensions.ts';
import type { CostRow, Dimension, UsageRow } from '../api/types.ts';
import { type BreakdownRow, toBreakdownColumns } from '../breakdown/columns.tsx';
import { CostChart } from '../charts/cost-chart.tsx';
import { DaysLine, FilterBar } from '../filters/bar.tsx';
import { GroupChoice } from '../filters/group-choice.tsx';
import { callFilters } from '../filters/picker.tsx';
import { addDays, countDays } from '../lib/days.ts';
import { addUp } from '../report/shares.ts';
import { useChangeSearch } from '../state/change-search.ts';
import { type Fixed, useCostsBy, useUsageBy } from '../state/costs.ts';
import { costTags, type Group, isTagGroup, keepTag, nameGroup, valueOfGroup } from '../state/group.ts';
import { useQuestion } from '../state/question.ts';
import type { Search } from '../state/search.ts';
import { Card, CardHead, PageHead } from '../ui/basics.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { NoneOnDays } from '../ui/none-on-days.tsx';
import { useTableView } from '../ui/table-view.tsx';

export function Features() {
  const { search } = useQuestion();
  return (
    <Breakdown group={keepTag(search.by, costTags) ?? 'feature'} rows={{ feature: 'Features' }} title="Features" />
  );
}

const modelDimensions = { model: 'Models', provider: 'Providers' } as const;

export function Models() {
  const { search } = useQuestion();
  const group = search.by === 'provider' ? 'provider' : (keepTag(search.by, costTags) ?? 'model');
  return <Breakdown group={group} rows={modelDimensions} title="Models" />;
}

interface BreakdownProps {
  readonly group: Group;
  /** The dimensions of the page, by which rows can be. */
  readonly rows: Readonly<Partial<Record<Dimension, string>>>;
  readonly title: string;
}

function Breakdown({ group, rows, title }: BreakdownProps) {
  const change = useChangeSearch();
  return (
    <>
      <PageHead title={title} about={<DaysLine isCompared />}>
        <GroupChoice
          label="Rows"
          options={rows}
          tags={costTags}
          value={group}
          onChoose={(by) => change({ by: by === 'model' || by === 'feature' ? undefined : by })}
        />
      </PageHead>
      <FilterBar by={callFilters} hasShared />
      <CostChart group={group} />
      <BreakdownTable group={group} />
    </>
  );
}

interface BreakdownTableProps {
  readonly group: Group;
  /** The page's own filters. */
  readonly fixed?: Fixed;
  /** The same filters as a URL has them, for links. */
  readonly within?: Partial<Search>;
}

export function BreakdownTable({ group, fixed, within }: BreakdownTableProps) {
  const question = useQuestion();
  const costs = useCostsBy(question, group, question.days, fixed);
  const usage = useUsageBy(question, group, question.days, fixed);
  const { comparison } = question;
  const compared = useCostsBy(question, group, comparison?.days, fixed);
  const before = useCostsBy(question, group, comparison?.before, fixed);
  // Beside more days that end today.
  const hasWeek = question.hasToday && countDays(question.days.from, question.days.to) > 7;
  const week = useCostsBy(
    question,
    group,
    hasWeek ? { ...question.days, from: addDays(question.days.to, -6) } : undefined,
    fixed,
  );
  const rows = useMemo(
    () =>
      costs.data &&
      usage.data &&
      join(group, {
        ...{ costs: costs.data, usage: usage.data, week: week.data },
        ...{ compared: compared.data, before: before.data },
      }),
    [group, costs.data, usage.data, compared.data, before.data, week.data],
  );
  const [from, to] = [comparison?.before.from, comparison?.before.to];
  const all = useMemo(
    () =>
      toBreakdownColumns(group, {
        before: from === undefined || to === undefined ? undefined : { from, to },
        hasWeek,
        total: addUp(costs.data ?? [], ({ cost }) => cost),
        within,
      }),
    [group, from, to, hasWeek, costs.data, within],
  );
  const failed = [costs, usage, compared, before, week].find(({ error }) => error !== null);
  const name = isTagGroup(group) ? 'tags' : dimensions[group].plural;
  const { table, tools } = useTableView('breakdown', all, rows, {
    ...{ nameOf: (row) => row.name, usual: '-cost', isMain: true },
    file: `${name}-${question.days.from}-${question.days.to}`,
    isComplete: (!comparison || !!(before.data && compared.data)) && (!hasWeek || !!week.data),
  });
  return (
    <Card>
      <CardHead title={`By ${nameGroup(group)}`}>{tools}</CardHead>
      <DataTable
        name={name}
        answer={failed}
        idOf={(row) => row.name}
        empty={<NoneOnDays what="No calls" />}
        {...table}
      />
    </Card>
  );
}

interface Answers {
  readonly costs: readonly CostRow[];
  readonly usage: readonly UsageRow[];
  /** Of the days that are compared, and of those before; undefined while loading or when not requested. */
  readonly compared: readonly CostRow[] | undefined;
  readonly before: readonly CostRow[] | undefined;
  readonly week: readonly CostRow[] | undefined;
}

function join(group: Group, { costs, usage, compared, before, week }: Answers): BreakdownRow[] {
  const usageByName = new Map(usage.map((row) => [valueOfGroup(row, group), row]));
  const toCosts = (rows: readonly CostRow[] = []) => new Map(rows.map((row) => [valueOfGroup(row, group), row.cost]));
  const [costNow, costBefore, costOfWeek] = [toCosts(compared), toCosts(before), toCosts(week)];
  return costs.map((cost) => {
    const name = valueOfGroup(cost, group);
    const change = compared && before && { now: costNow.get(name) ?? 0, before: costBefore.get(name) ?? 0 };
    return { name, cost, usage: usageByName.get(name), change, week: week && (costOfWeek.get(name) ?? 0) };
  });
}
