import type { CommandResultRecord, ReleaseKind } from '@flotilla/contract';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useWrite } from '../../ui/index.ts';
import { COMMAND_TYPES } from './use-hosts.ts';

interface VersionOrder {
  readonly clients: readonly string[];
  readonly command: Readonly<Record<string, unknown>>;
  readonly done: (hosts: number) => string;
}

/** Sends commands about versions, and keeps the outcomes that are not `done`. */
export function useVersionCommand(kind: ReleaseKind) {
  const project = useProject();
  const write = useWrite();
  const [undone, setUndone] = useState<readonly CommandResultRecord[]>([]);
  const send = async ({ clients, command, done }: VersionOrder) => {
    const countDone = (results: readonly CommandResultRecord[]) =>
      results.filter(({ outcome }) => outcome === 'done').length;
    const body = { type: COMMAND_TYPES[kind], clients: clients.map((client_id) => ({ client_id })), command };
    const answer = await write(
      routes.command.dispatch,
      { query: { project: project.id }, body },
      { done: ({ results }) => done(countDone(results)), stale: [routes.command.dispatch] },
    );
    setUndone(answer.body.results.filter(({ outcome }) => outcome !== 'done'));
  };
  return { send, undone };
}
