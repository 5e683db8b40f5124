import { ENVOY_LOG_LEVELS, type EnvoyLogLevel, mayCommand, readEnvoyLevels } from '@flotilla/contract';
import { Select } from '@mantine/core';
import { useState } from 'react';
import { useProject } from '../../../app/project.tsx';
import { ConfirmRecord, Empty, type PlainColumn, PlainTable, sayDone } from '../../../ui/index.ts';
import { Answer } from './answer.tsx';
import { MatchBar, RowsEnd, useMatchedRows } from './matched-rows.tsx';
import { texts } from './texts.tsx';
import { type EnvoyPlace, useProxy, useProxyWrite } from './use-proxy.ts';

const text = texts.levels;

type Level = readonly [logger: string, level: string];

interface Wanted {
  /** Undefined: all loggers. */
  readonly logger: string | undefined;
  readonly level: string;
}

export function LevelsPart({ place }: { place: EnvoyPlace }) {
  const query = useProxy(place, { path: '/envoy', queries: { parts: 'logging' } });
  return (
    <Answer query={query} what={text.what} read={readLevels}>
      {(levels) =>
        levels.length === 0 ? (
          <Empty title={text.emptyTitle}>{text.empty}</Empty>
        ) : (
          <Levels levels={levels} place={place} />
        )
      }
    </Answer>
  );
}

function readLevels(body: unknown): readonly Level[] | undefined {
  return readEnvoyLevels((body as { logging?: unknown } | undefined)?.logging);
}

function Levels({ levels, place }: { levels: readonly Level[]; place: EnvoyPlace }) {
  const mayChange = mayCommand(useProject().role, 'PROXY WRITE');
  const [wanted, setWanted] = useState<Wanted>();
  const { match, matching, shown } = useMatchedRows(levels, (one) => one.join(' '));
  const columns: readonly PlainColumn<Level>[] = [
    { id: 'logger', header: text.logger, isNarrow: true, cell: ([logger]) => <bdi className="mono">{logger}</bdi> },
    {
      id: 'level',
      header: text.level,
      isNarrow: true,
      cell: ([logger, level]) =>
        mayChange ? (
          <LevelSelect
            label={text.levelOf(logger)}
            value={level}
            onChoose={(next) => setWanted({ logger, level: next })}
          />
        ) : (
          level
        ),
    },
  ];
  return (
    <>
      <MatchBar label={text.match} status={text.shown(matching.length, levels.length)}>
        {mayChange && <LevelSelect label={text.all} onChoose={(level) => setWanted({ logger: undefined, level })} />}
      </MatchBar>
      {shown.length > 0 && <PlainTable name={text.list} rows={shown} columns={columns} rowId={([logger]) => logger} />}
      <RowsEnd match={match} shown={shown.length} left={matching.length - shown.length} />
      <LevelQuestion wanted={wanted} place={place} onClose={() => setWanted(undefined)} />
    </>
  );
}

interface LevelSelectProps {
  readonly label: string;
  /** Undefined: none is chosen. */
  readonly value?: string;
  readonly onChoose: (level: string) => void;
}

function LevelSelect({ label, value, onChoose }: LevelSelectProps) {
  return (
    <Select
      size="xs"
      w={160}
      aria-label={label}
      placeholder={value === undefined ? label : text.choose}
      data={ENVOY_LOG_LEVELS}
      value={value ?? null}
      onChange={(next) => {
        if (next !== null && next !== value) onChoose(next);
      }}
      allowDeselect={false}
    />
  );
}

/** These levels show requests. */
const DETAILED: readonly EnvoyLogLevel[] = ['trace', 'debug'];

interface LevelQuestionProps {
  readonly wanted: Wanted | undefined;
  readonly place: EnvoyPlace;
  readonly onClose: () => void;
}

function LevelQuestion({ wanted, place, onClose }: LevelQuestionProps) {
  const write = useProxyWrite(place);
  const set = async ({ logger, level }: Wanted) => {
    await write({ path: '/logging', queries: logger === undefined ? { level } : { paths: `${logger}:${level}` } });
    sayDone(logger === undefined ? text.doneAll(level) : text.done(logger, level));
  };
  return (
    <ConfirmRecord
      of={wanted}
      title={({ logger, level }) => (logger === undefined ? text.setAllTitle(level) : text.setTitle(logger, level))}
      action={text.set}
      onConfirm={set}
      onClose={onClose}
    >
      {({ level }) => (
        <>
          {DETAILED.some((one) => one === level) && <p>{text.headers}</p>}
          <p>{text.lasts}</p>
        </>
      )}
    </ConfirmRecord>
  );
}
