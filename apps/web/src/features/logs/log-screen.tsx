import { Button, SegmentedControl, Select, Switch, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { Notice } from '../../ui/index.ts';
import { LogView } from './log-view.tsx';
import styles from './logs.module.css';
import { texts } from './texts.ts';
import type { LogQuestion } from './use-log.ts';

/** A log that can be chosen; `command` identifies it. */
export interface LogChoice {
  readonly value: string;
  readonly label: string;
  readonly type: LogQuestion['type'];
  readonly command: Readonly<Record<string, unknown>>;
}

interface LogScreenProps {
  readonly client: { readonly id: string; readonly name: string; readonly connected: boolean };
  /** The first one is the default. */
  readonly choices: readonly [LogChoice, ...LogChoice[]];
  /** Shown in front of the other controls. */
  readonly before?: ReactNode;
  /** The downloaded file begins with this name. */
  readonly fileName: string;
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'critical'];
const RANGES_MS: Readonly<Record<string, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
};

/** Shows one of the logs of a client (`?log=&level=&grep=&range=&follow=&wrap=`). */
export function LogScreen({ client, choices, before, fileName }: LogScreenProps) {
  const url = useUrlState();
  const [round, setRound] = useState(0);
  const [isWrapped, setWrapped] = useWrapped();
  const isFollowing = url.get('follow') !== undefined;
  const choice = choices.find(({ value }) => value === url.get('log')) ?? choices[0];
  const [level, search, range] = [url.get('level'), url.get('grep'), url.get('range')];
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round asks again, with its own time
  const question = useMemo<LogQuestion>(() => {
    const ageMs = RANGES_MS[range ?? ''];
    return {
      clientId: client.id,
      type: choice.type,
      command: {
        ...choice.command,
        ...(level !== undefined && LEVELS.includes(level) && { level }),
        ...(search !== undefined && { search: search.slice(0, 1024) }),
        ...(ageMs !== undefined && { since: new Date(Date.now() - ageMs).toISOString() }),
      },
    };
  }, [client.id, choice.value, level, search, range, round]);
  return (
    <div className={styles.stack}>
      <div className={styles.bar} role="group" aria-label={texts.bar.label}>
        {before}
        {choices.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={texts.bar.log}
            data={choices.map(({ value, label }) => ({ value, label }))}
            value={choice.value}
            onChange={(log) => url.set({ log: log === choices[0].value ? undefined : log })}
          />
        )}
        <Filters />
        <Controls
          connected={client.connected}
          onRefresh={() => setRound(round + 1)}
          {...{ isFollowing, isWrapped, setWrapped }}
        />
      </div>
      {client.connected ? (
        <LogView
          key={`${round} ${JSON.stringify(question)}`}
          {...{ question, isFollowing, isWrapped }}
          fileName={`${fileName}-${choice.value.toLowerCase()}.log`}
        />
      ) : (
        <Notice tone="warn" title={texts.answer.offline}>
          {texts.answer.whyOffline}
        </Notice>
      )}
    </div>
  );
}

interface ControlsProps {
  readonly connected: boolean;
  readonly isFollowing: boolean;
  readonly isWrapped: boolean;
  readonly setWrapped: (isWrapped: boolean) => void;
  readonly onRefresh: () => void;
}

function Controls({ connected, isFollowing, isWrapped, setWrapped, onRefresh }: ControlsProps) {
  const url = useUrlState();
  return (
    <>
      <Switch
        size="xs"
        label={texts.bar.wrap}
        checked={isWrapped}
        onChange={(event) => setWrapped(event.currentTarget.checked)}
      />
      <Button
        variant="default"
        leftSection={isFollowing ? <IconPlayerPause size={14} /> : <IconPlayerPlay size={14} />}
        disabled={!connected}
        onClick={() => url.set({ follow: isFollowing ? undefined : '1' })}
      >
        {isFollowing ? texts.bar.pause : texts.bar.follow}
      </Button>
      <Button
        variant="default"
        leftSection={<IconRefresh size={14} />}
        disabled={!connected}
        onClick={() => onRefresh()}
      >
        {texts.bar.refresh}
      </Button>
    </>
  );
}

function Filters() {
  const url = useUrlState();
  const search = url.get('grep') ?? '';
  const commit = (text: string) => {
    if (text !== search) url.set({ grep: text || undefined });
  };
  return (
    <>
      <Select
        size="xs"
        w={130}
        aria-label={texts.bar.level}
        data={[{ value: '', label: texts.bar.anyLevel }, ...LEVELS]}
        value={url.get('level') ?? ''}
        onChange={(level) => url.set({ level: level || undefined })}
        allowDeselect={false}
      />
      <Select
        size="xs"
        w={150}
        aria-label={texts.bar.range}
        data={Object.entries(texts.bar.ranges).map(([value, label]) => ({ value, label }))}
        value={url.get('range') ?? ''}
        onChange={(range) => url.set({ range: range || undefined })}
        allowDeselect={false}
      />
      <TextInput
        size="xs"
        type="search"
        maxLength={1024}
        aria-label={texts.bar.search}
        placeholder={texts.bar.linesThatContain}
        leftSection={<IconSearch size={14} />}
        key={search}
        defaultValue={search}
        onBlur={(event) => commit(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(event.currentTarget.value);
        }}
      />
    </>
  );
}

/** Reads `?wrap=`: by default, lines wrap only on a phone. */
function useWrapped(): [isWrapped: boolean, set: (isWrapped: boolean) => void] {
  const url = useUrlState();
  const isPhone = useMediaQuery('(max-width: 40em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const asked = url.get('wrap');
  return [
    asked === undefined ? isPhone : asked === '1',
    (isWrapped) => url.set({ wrap: isWrapped === isPhone ? undefined : isWrapped ? '1' : '0' }),
  ];
}
