import { useEffect, useState } from 'react';
import { addEvent, type JobEvent } from './job-model.ts';

/** Bursts of events ask for the job once. */
const SETTLE_MS = 250;

interface Followed {
  readonly jobId: string;
  readonly projectId: string;
  /** After events: the job has changed. */
  readonly onChange: () => void;
}

/** What has happened to a job, from its beginning, and what happens until its end. The browser goes on after a broken line. */
export function useJobEvents({ jobId, projectId, onChange }: Followed): readonly JobEvent[] {
  const [events, setEvents] = useState<readonly JobEvent[]>([]);
  useEffect(() => {
    setEvents([]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const path = `/api/v3/jobs/${encodeURIComponent(jobId)}/events?project=${encodeURIComponent(projectId)}`;
    const source = new EventSource(path);
    source.addEventListener('job', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as JobEvent;
      setEvents((before) => addEvent(before, event));
      // Else the browser would begin anew when the controller closes the line.
      if (event.kind === 'ended') source.close();
      clearTimeout(timer);
      timer = setTimeout(onChange, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [jobId, projectId, onChange]);
  return events;
}
