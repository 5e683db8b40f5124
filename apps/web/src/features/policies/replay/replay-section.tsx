import type { PolicySource, ReplayRecords, ReplayReport } from '@flotilla/contract';
import { Button, FileButton, Select } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { call, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { Problem, useSending } from '../../../ui/index.ts';
import classes from './replay.module.css';
import { ReplayResult } from './replay-result.tsx';
import { texts } from './texts.tsx';

const words = texts.replaySection;

interface ReplaySectionProps {
  readonly candidate: PolicySource;
  /** undefined: the replay compares with the recorded responses. */
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
  const can = useCan();
  const [hours, setHours] = useState('24');
  const { report, sending, replay } = useReplay(candidate, baseline);
  const replayFile = (file: File | null | undefined) => {
    if (file) void replay(() => readRecords(file));
  };
  const { isOver, ...drop } = useFileDrop(replayFile);
  if (!can(routes.shieldTrial.replay)) return null;
  const replayEvents = () =>
    void replay(async () => ({
      source: 'events',
      from: new Date(Date.now() - Number(hours) * HOUR_MS).toISOString(),
    }));
  return (
    <section className={classes.section} aria-label={words.section.title} data-over={isOver || undefined} {...drop}>
      <h2>{words.section.question}</h2>
      <div className={classes.bar}>
        <Button variant="default" size="compact-sm" loading={sending.isBusy} onClick={replayEvents}>
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
              disabled={sending.isBusy}
              leftSection={<IconUpload size={13} />}
            >
              {words.section.replayFile}
            </Button>
          )}
        </FileButton>
      </div>
      <p className={classes.dimmed}>{words.section.whatIsRecorded}</p>
      {sending.error !== undefined && <Problem error={sending.error} what={words.section.failed} />}
      {report && <ReplayResult report={report} onTry={onTry} />}
    </section>
  );
}

function useReplay(candidate: PolicySource, baseline: PolicySource | undefined) {
  const project = useProject();
  const sending = useSending();
  const [report, setReport] = useState<ReplayReport>();
  const replay = async (read: () => Promise<ReplayRecords>) => {
    const isDone = await sending.send(async () => {
      const records = await read();
      const { body } = await call(routes.shieldTrial.replay, {
        query: { project: project.id },
        body: { candidate, ...(baseline && { baseline }), records },
      });
      setReport(body);
    });
    if (!isDone) setReport(undefined);
  };
  return { report, sending, replay };
}

function useFileDrop(onFile: (file: File | undefined) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFile(event.dataTransfer.files[0]);
    },
  };
}

async function readRecords(file: File): Promise<ReplayRecords> {
  if (file.size > TEXT_MAX_CHARS) throw new Error('The file is larger than 16 MiB: select a smaller part of it');
  const text = await file.text();
  if (text.trim() === '') throw new Error('The file is empty');
  return { source: 'text', text, name: file.name.slice(0, 256) };
}
