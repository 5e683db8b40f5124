import { Button } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Empty, Loaded, Notice, sayDone, sayFailed } from '../../ui/index.ts';
import { downloadText } from '../../ui/table/csv.ts';
import { formatEntry } from './log-lines.ts';
import styles from './logs.module.css';
import { texts } from './texts.ts';
import { type LogQuestion, useLog } from './use-log.ts';

const text = texts.answer;

interface LogViewProps {
  readonly question: LogQuestion;
  readonly isFollowing: boolean;
  readonly isWrapped: boolean;
  readonly fileName: string;
}

/** The lines of one log. Another log needs another instance. */
export function LogView({ question, isFollowing, isWrapped, fileName }: LogViewProps) {
  const log = useLog(question, isFollowing);
  const { result, entries, pages, oldest, problem } = log;
  const notes = [...new Set(pages.flatMap((page) => page.notes))];
  return (
    <Loaded query={log.query} what={text.what} skeleton={14}>
      {() =>
        result?.outcome === 'done' ? (
          <div className={styles.stack}>
            {problem !== undefined && <Notice tone="warn" title={problem} />}
            {notes.map((note) => (
              <Notice key={note} tone="warn" title={note} />
            ))}
            {pages.some(({ gap }) => gap) && <Notice tone="warn" title={text.gap} />}
            {oldest?.complete === false && <Notice tone="warn" title={text.partly} />}
            <div className={styles.bar}>
              {oldest?.older_cursor ? (
                <Button variant="default" loading={log.isLoadingOlder} onClick={() => void log.loadOlder()}>
                  {text.older}
                </Button>
              ) : (
                entries.length > 0 && <span className={styles.side}>{text.atBeginning}</span>
              )}
            </div>
            {entries.length === 0 ? (
              <Empty title={text.empty}>{text.whyEmpty}</Empty>
            ) : (
              <Lines
                lines={entries.map((entry) => ({ level: entry.level, text: formatEntry(entry) }))}
                {...{ isWrapped }}
              />
            )}
            <Actions lines={entries.map(formatEntry)} {...{ isFollowing, fileName }} />
          </div>
        ) : (
          <Notice tone="bad" title={text.noLog}>
            {result?.error?.message ?? text.outcomeIs(result?.outcome ?? '')}
          </Notice>
        )
      }
    </Loaded>
  );
}

interface LinesProps {
  readonly lines: ReadonlyArray<{ readonly level: string; readonly text: string }>;
  readonly isWrapped: boolean;
}

function Lines({ lines, isWrapped }: LinesProps) {
  const box = useRef<HTMLPreElement>(null);
  const last = lines.at(-1)?.text;
  // The newest lines are at the end, so the log scrolls there at first and when a line is added.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the last line is another
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  return (
    <pre ref={box} className={`${styles.log} ${isWrapped ? styles.wrap : ''}`} tabIndex={0} aria-label={text.lines}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and equal ones look the same
        <div key={index} data-level={line.level}>
          {line.text}
        </div>
      ))}
    </pre>
  );
}

interface ActionsProps {
  readonly lines: readonly string[];
  readonly isFollowing: boolean;
  readonly fileName: string;
}

function Actions({ lines, isFollowing, fileName }: ActionsProps) {
  const all = `${lines.join('\n')}\n`;
  const copy = () =>
    navigator.clipboard.writeText(all).then(
      () => sayDone(text.copied),
      (error: unknown) => sayFailed(text.notCopied, error),
    );
  return (
    <div className={styles.bar}>
      <span className={styles.side} role="status">
        {text.count(lines.length)}
        {isFollowing && text.following}
      </span>
      <span className={styles.grow} />
      <Button
        variant="default"
        leftSection={<IconCopy size={14} />}
        disabled={lines.length === 0}
        onClick={() => void copy()}
      >
        {text.copy}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={14} />}
        disabled={lines.length === 0}
        onClick={() => downloadText(fileName, 'text/plain', all)}
      >
        {text.download}
      </Button>
    </div>
  );
}
