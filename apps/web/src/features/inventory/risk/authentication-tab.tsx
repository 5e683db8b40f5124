import type { CallOutput, InventoryOperationSummary, inventoryRoutes } from '@flotilla/contract';
import { Group, Switch } from '@mantine/core';
import { routes } from '../../../api/index.ts';
import { useUrlState } from '../../../app/url-state.ts';
import { Section, useTableState } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { PartsBar } from '../charts/parts-bar.tsx';
import { Choice, readChoice } from '../choice.tsx';
import { POSTURE_LOOKS } from '../looks.ts';
import { OperationTable } from '../operation-table.tsx';
import { useOperationColumns } from './operation-columns.ts';
import { texts } from './texts.tsx';

const text = texts.authentication;

type Answer = CallOutput<typeof inventoryRoutes.authCoverage>;

const MODES = [
  { value: 'unauthenticated', label: text.unauthenticated },
  { value: 'inconsistent', label: text.inconsistent },
];
const SHOWN = ['auth_posture'];

/** Endpoints that accept requests without credentials. */
export function AuthenticationTab() {
  const url = useUrlState();
  const state = useTableState();
  const columns = useOperationColumns(SHOWN);
  const includesRead = url.get('read') !== undefined;
  return (
    <div className={layout.stack}>
      <Group gap="lg">
        <Choice name="mode" label={text.mode} options={MODES} initial="unauthenticated" />
        <Switch
          size="xs"
          label={text.includeRead}
          checked={includesRead}
          onChange={(event) => url.set({ read: event.currentTarget.checked ? '1' : undefined }, 'push')}
        />
      </Group>
      <OperationTable<InventoryOperationSummary, Answer>
        name={text.name}
        route={routes.inventory.authCoverage}
        query={{
          ...state.query,
          mode: readChoice(url.get('mode'), MODES, 'unauthenticated'),
          ...(includesRead && { include_read: 'true' }),
        }}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        empty={text.empty}
        above={({ counts, scope }) => (
          <Section title={text.counts}>
            <p className={layout.note}>{text.scope[scope]}</p>
            <PartsBar name={text.counts} parts={toParts(counts)} />
          </Section>
        )}
      />
    </div>
  );
}

function toParts(counts: Answer['counts']) {
  const looks = POSTURE_LOOKS;
  return [
    { name: looks.authenticated.word, count: counts.authenticated, tone: 'good' },
    { name: looks.anonymous.word, count: counts.unauthenticated, tone: 'bad' },
    { name: looks.inconsistent.word, count: counts.inconsistent, tone: 'warn' },
    { name: looks.mixed.word, count: counts.mixed, tone: 'busy' },
    { name: looks.unknown.word, count: counts.unknown, tone: 'quiet' },
  ] as const;
}
