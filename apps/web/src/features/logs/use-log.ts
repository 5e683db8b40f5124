import type { LogPage } from '@flotilla/contract';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useMemo, useState } from 'react';
import { call, questionOf, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { followLog } from './follow-log.ts';
import { joinPages, LINES_MAX } from './log-lines.ts';
import { texts } from './texts.ts';

export interface LogQuestion {
  readonly clientId: string;
  readonly type: 'SERVICE' | 'CLIENT_LOGS' | 'ROUTING_LOGS';
  /** Members of the command. */
  readonly command: Readonly<Record<string, unknown>>;
}

const COUNT = 300;

/** Reads the newest lines, older ones on request and, while `isFollowing`, new ones. One instance reads one log. */
export function useLog(question: LogQuestion, isFollowing: boolean) {
  const [older, setOlder] = useState<readonly LogPage[]>([]);
  const [newer, setNewer] = useState<readonly LogPage[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const project = useProject();
  const input = useMemo(() => toInput(question, project.id), [question, project.id]);
  // Another instance reads the log again: lines that were read before are old.
  const instance = useId();
  const [round] = useState(() => `${instance} ${Date.now()}`);
  const asked = questionOf(routes.command.dispatch, input);
  const query = useQuery({ ...asked, queryKey: [...asked.queryKey, round], gcTime: 0, staleTime: Infinity });
  const result = query.data?.body.results[0];
  const first = result?.outcome === 'done' ? (result.result as LogPage) : undefined;
  const cursor = first && (newer.at(-1) ?? first).newer_cursor;

  // The stream goes on from its own cursor, so new pages must not open it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once for each question
  useEffect(() => {
    if (!isFollowing || cursor === undefined) return;
    const { service_id, log_type, level, search } = question.command;
    const asked = { project: project.id, type: question.type, service_id, log_type, level, search };
    return followLog(
      { clientId: question.clientId, query: asked },
      { from: cursor, lost: texts.follow.lost },
      { onPage: (page) => setNewer((pages) => keepNewest([...pages, page])), onProblem: setProblem },
    );
  }, [isFollowing, first === undefined]);

  const oldest = older[0] ?? first;
  const loadOlder = useCallback(async () => {
    if (!oldest?.older_cursor) return;
    setLoadingOlder(true);
    try {
      const answer = await call(routes.command.dispatch, toInput(question, project.id, oldest.older_cursor));
      const [one] = answer.body.results;
      if (one?.outcome === 'done') setOlder((pages) => [one.result as LogPage, ...pages]);
      setProblem(one?.outcome === 'done' ? undefined : one?.error?.message);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setLoadingOlder(false);
    }
  }, [oldest, question, project.id]);

  const pages = first ? [...older, first, ...newer] : [];
  return { query, result, pages, entries: joinPages(pages), oldest, problem, isLoadingOlder, loadOlder };
}

function toInput({ clientId, type, command }: LogQuestion, project: string, cursor?: string) {
  return {
    query: { project },
    body: {
      type,
      sub_type: type === 'SERVICE' ? 'SUB_LOGS' : '',
      clients: [{ client_id: clientId }],
      command: { ...command, count: COUNT, ...(cursor !== undefined && { cursor }) },
    },
  };
}

function keepNewest(pages: readonly LogPage[]): readonly LogPage[] {
  const kept = [...pages];
  while (kept.length > 1 && kept.reduce((sum, { logs }) => sum + logs.length, 0) > LINES_MAX) kept.shift();
  return kept;
}
