import { NETWORK_LIMITS, type NetplanGeneration, readNetplan } from '@flotilla/contract';
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Confirm, ConfirmRecord, Loaded, type PlainColumn, PlainTable, Section, Time } from '../../../ui/index.ts';
import type { NetworkPlace } from './routing-parts.tsx';
import { texts } from './texts.ts';
import { useNetworkChange, useNetworkRead } from './use-network.ts';

const words = texts.netplan;

/** The managed netplan document, with its earlier contents. */
export function NetplanPart({ clientId, state, mayChange }: NetworkPlace) {
  const current = state.current_netplan_yaml;
  const [draft, setDraft] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const change = useNetworkChange(clientId);
  const apply = async () => {
    await change('SUB_NETPLAN_APPLY', { netplan_config: { yaml_content: draft ?? '' } });
    // Text that was typed meanwhile stays.
    setDraft((now) => (now === draft ? undefined : now));
  };
  return (
    <Section title={words.title}>
      <Textarea
        label={words.label}
        description={current === null ? words.none : words.help}
        value={draft ?? current ?? ''}
        onChange={(event) => setDraft(event.currentTarget.value)}
        readOnly={!mayChange}
        maxLength={NETWORK_LIMITS.yamlMaxBytes}
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      {mayChange && (
        <div>
          <Button size="compact-sm" disabled={!draft?.trim() || draft === current} onClick={() => setAsking(true)}>
            {words.apply}
          </Button>
        </div>
      )}
      <Generations clientId={clientId} mayChange={mayChange} />
      <Confirm
        opened={isAsking}
        title={words.applyTitle}
        action={words.action}
        onConfirm={apply}
        onClose={() => setAsking(false)}
      >
        <p>{texts.test}</p>
      </Confirm>
    </Section>
  );
}

function Generations({ clientId, mayChange }: Pick<NetworkPlace, 'clientId' | 'mayChange'>) {
  const query = useNetworkRead(clientId, 'SUB_NETPLAN_GET');
  const change = useNetworkChange(clientId);
  const [chosen, setChosen] = useState<NetplanGeneration>();
  return (
    <Loaded query={query} what={words.generations} skeleton={2}>
      {({ body }) => {
        const answer = readNetplan(body.results[0]?.result);
        if (!answer || answer.generations.length === 0) return null;
        return (
          <>
            <h3>{words.generations}</h3>
            <PlainTable
              name={words.list}
              rows={answer.generations}
              columns={listColumns({ current: answer.generation, mayChange, onChoose: setChosen })}
              rowId={({ generation }) => String(generation)}
            />
            <ConfirmRecord
              of={chosen}
              title={({ generation }) => words.rollbackTitle(generation)}
              action={words.action}
              onConfirm={({ generation }) => change('SUB_NETPLAN_ROLLBACK', { generation })}
              onClose={() => setChosen(undefined)}
            >
              {({ yaml }) => (
                <>
                  <pre style={{ overflow: 'auto', maxHeight: 320 }}>{yaml ?? words.noFile}</pre>
                  <p>{texts.test}</p>
                </>
              )}
            </ConfirmRecord>
          </>
        );
      }}
    </Loaded>
  );
}

interface ColumnOptions {
  readonly current: number;
  readonly mayChange: boolean;
  readonly onChoose: (generation: NetplanGeneration) => void;
}

function listColumns({ current, mayChange, onChoose }: ColumnOptions): readonly PlainColumn<NetplanGeneration>[] {
  const columns: PlainColumn<NetplanGeneration>[] = [
    { id: 'generation', header: words.generation, isNarrow: true, cell: ({ generation }) => generation },
    { id: 'since', header: words.since, isNarrow: true, cell: ({ at }) => <Time at={at} /> },
    {
      id: 'lines',
      header: words.lines,
      isNarrow: true,
      cell: ({ yaml }) => (yaml === null ? words.noFile : yaml.trimEnd().split('\n').length),
    },
  ];
  const action: PlainColumn<NetplanGeneration> = {
    id: 'actions',
    header: texts.actions,
    isNarrow: true,
    cell: (one) =>
      one.generation === current ? (
        words.current
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={words.rollbackLabel(one.generation)}
          onClick={() => onChoose(one)}
        >
          {words.rollback}
        </Button>
      ),
  };
  return mayChange ? [...columns, action] : columns;
}
