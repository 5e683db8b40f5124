import type { AlertRuleView } from '@flotilla/contract';
import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { type PlainColumn, RowActions, ShortList, State, sayFailed, useWrite } from '../../ui/index.ts';
import { Severity } from './alert-state.tsx';
import { RuleDrawers } from './rule-drawer.tsx';
import { texts } from './texts.ts';

const text = texts.rules;

const COLUMNS: readonly PlainColumn<AlertRuleView>[] = [
  { id: 'name', header: text.name, isNarrow: true, cell: ({ name }) => <bdi>{name}</bdi> },
  {
    id: 'condition',
    header: text.condition,
    cell: ({ condition }) => text.conditions[condition.kind] ?? condition.kind,
  },
  { id: 'severity', header: text.severity, cell: ({ severity }) => <Severity severity={severity} /> },
  {
    id: 'state',
    header: texts.columns.state,
    isNarrow: true,
    cell: ({ enabled, ...rule }) => (
      <State
        word={!enabled ? text.isOff : isSilenced(rule) ? text.silencedUntil : text.isOn}
        tone={enabled ? 'good' : 'quiet'}
        shape={enabled ? 'full' : 'square'}
      />
    ),
  },
  { id: 'channels', header: text.channels, align: 'right', cell: ({ channels }) => channels.length },
  { id: 'firing', header: text.firing, align: 'right', isNarrow: true, cell: ({ firing }) => firing },
  { id: 'actions', header: texts.columns.actions, isNarrow: true, cell: (rule) => <Actions rule={rule} /> },
];

/** `?create=rule` and `?rule=<id>` open the drawers. */
export function RuleList() {
  const project = useProject();
  const can = useCan();
  const found = useApi(
    routes.alertRule.list,
    { query: { project: project.id, limit: 100 } },
    { topics: ['alert_rule', 'alert'] },
  );
  return (
    <>
      <ShortList
        words={text}
        query={found}
        columns={COLUMNS}
        create={{ route: routes.alertRule.create, opens: { create: 'rule' } }}
      />
      {can(routes.alertRule.replace) && <RuleDrawers />}
    </>
  );
}

function isSilenced({ silenced_until: until }: Pick<AlertRuleView, 'silenced_until'>): boolean {
  return until !== null && Date.parse(until) > Date.now();
}

const HOUR_MS = 3_600_000;
const FIRST_HOURS = '2';

function Actions({ rule: { id, name, ...rule } }: { rule: AlertRuleView }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const write = useWrite();
  const [hours, setHours] = useState<string>(FIRST_HOURS);
  const to = { params: { rule_id: id }, query: { project: project.id } };
  const stale = [routes.alertRule.list];
  const remove = () => write(routes.alertRule.delete, to, { done: text.removed(name), stale });
  const silence = (until: string | null) =>
    write(
      routes.alertRule.silence,
      { ...to, body: { until } },
      { done: until === null ? text.silenceEnded(name) : text.silenced(name), stale },
    );
  const end = () => void silence(null).catch((error: unknown) => sayFailed(text.silenceNotEnded, error));
  const canSilence = can(routes.alertRule.silence);
  return (
    <RowActions
      of={name}
      actions={[
        {
          word: text.edit,
          label: text.editLabel(name),
          onClick: can(routes.alertRule.replace) ? () => url.set({ rule: id }, 'push') : undefined,
        },
        isSilenced(rule)
          ? {
              word: text.silenceEnd,
              label: text.silenceEndLabel(name),
              onClick: canSilence ? end : undefined,
            }
          : {
              word: text.silence,
              label: text.silenceLabel(name),
              confirm: canSilence
                ? {
                    title: text.silenceTitle(name),
                    children: <SilenceHours hours={hours} onChange={setHours} />,
                    onConfirm: () => silence(new Date(Date.now() + Number(hours) * HOUR_MS).toISOString()),
                  }
                : undefined,
            },
        {
          word: text.remove,
          label: text.removeLabel(name),
          confirm: can(routes.alertRule.delete)
            ? { title: text.removeTitle(name), children: text.removeText, isDangerous: true, onConfirm: remove }
            : undefined,
        },
      ]}
    />
  );
}

function SilenceHours({ hours, onChange }: { hours: string; onChange: (hours: string) => void }) {
  return (
    <Stack gap="xs">
      <Text>{text.silenceText}</Text>
      <Select
        label={text.silenceFor}
        data={Object.entries(text.silenceHours).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={hours}
        onChange={(value) => onChange(value ?? FIRST_HOURS)}
      />
    </Stack>
  );
}
