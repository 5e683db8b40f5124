import type { PolicySource, ReplayRecords, ReplayReport } from '@flotilla/contract';
import { Button, FileButton, Select } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { call, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Problem } from '../../../ui/index.ts';
import classes from './replay.module.css';
import { ReplayResult } from './replay-result.tsx';

const words = texts.policies.replay.replaySection;

interface ReplaySectionProps {
  readonly candidate: PolicySource;
  /** undefined: compares with the original answers. */
  readonly baseline: PolicySource | undefined;
  /** Tries a request of the report on the draft; undefined if the page has no trial. */
  readonly onTry: ((sample: ReplayReport['samples'][number]) => void) | undefined;
}

const TEXT_MAX_CHARS = 16 * 1024 * 1024;
const HOUR_MS = 3_600_000;
const HOURS = [
  { value: '1', label: words.hours.hour },
  { value: '24', label: words.hours.day },
  { value: '168', label: words.hours.week },
];

/** Replays recorded requests against a policy before it is saved. */
export function ReplaySection({ candidate, baseline, onTry }: ReplaySectionProps) {
  const project = useProject();
  const can = useCan();
  const [hours, setHours] = useState('24');
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [report, setReport] = useState<ReplayReport>();
  const [error, setError] = useState<unknown>();
  if (!can(routes.shieldTrial.replay)) return null;

  const replay = async (read: () => Promise<ReplayRecords>) => {
    setBusy(true);
    setError(undefined);
    try {
      const records = await read();
      const { body } = await call(routes.shieldTrial.replay, {
        query: { project: project.id },
        body: { candidate, ...(baseline && { baseline }), records },
      });
      setReport(body);
    } catch (failure) {
      setReport(undefined);
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const replayFile = (file: File | null | undefined) => {
    if (file) void replay(() => readRecords(file));
  };
  const replayEvents = () =>
    void replay(async () => ({
      source: 'events',
      from: new Date(Date.now() - Number(hours) * HOUR_MS).toISOString(),
    }));
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    replayFile(event.dataTransfer.files[0]);
  };
  return (
    <section
      className={classes.section}
      aria-label={words.section.title}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2>{words.section.question}</h2>
      <div className={classes.bar}>
        <Button variant="default" size="compact-sm" loading={isBusy} onClick={replayEvents}>
          {words.section.replayRecorded}
        </Button>
        <Select
          size="xs"
          aria-label={words.section.recordedIn}
          w={150}
          data={HOURS}
          value={hours}
          allowDeselect={false}
          onChange={(next) => setHours(next ?? '24')}
        />
        <span className={classes.dimmed}>{words.section.or}</span>
        <FileButton onChange={replayFile}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="compact-sm"
              disabled={isBusy}
              leftSection={<IconUpload size={13} />}
            >
              {words.section.replayFile}
            </Button>
          )}
        </FileButton>
      </div>
      <p className={classes.dimmed}>{words.section.whatIsRecorded}</p>
      {error !== undefined && <Problem error={error} what={words.section.failed} />}
      {report && <ReplayResult report={report} onTry={onTry} />}
    </section>
  );
}

async function readRecords(file: File): Promise<ReplayRecords> {
  if (file.size > TEXT_MAX_CHARS) throw new Error('the file is larger than 16 MiB: take a part of it');
  const text = await file.text();
  if (text.trim() === '') throw new Error('the file is empty');
  return { source: 'text', text, name: file.name.slice(0, 256) };
}
