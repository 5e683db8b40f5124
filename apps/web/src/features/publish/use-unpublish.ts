import { parsePublishedHost, parsePublishedPath, type UnpublishResult } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useSending } from '../../ui/index.ts';
import { texts } from './texts.tsx';

type Change = Readonly<Record<string, string | readonly string[] | undefined>>;

interface Draft {
  readonly hosts: readonly string[];
  readonly path: string;
  readonly listener: string | null;
}

/** Form, then plan, then removed. A change of the form drops the plan. */
export function useUnpublish() {
  const project = useProject();
  const queryClient = useQueryClient();
  const url = useUrlState();
  const sending = useSending();
  const [isSubmitted, setSubmitted] = useState(false);
  const [plan, setPlan] = useState<UnpublishResult>();
  const [removed, setRemoved] = useState<UnpublishResult>();
  const draft: Draft = { hosts: url.all('host'), path: url.get('path') ?? '', listener: url.get('listener') ?? null };

  const send = async (dryRun: boolean) => {
    const { hosts, path, listener } = draft;
    const body = { hosts: [...hosts], ...(path !== '' && { path }), ...(listener !== null && { listener }) };
    const query = { project: project.id, ...(dryRun && { dry_run: 'true' as const }) };
    return (await call(routes.publish.unpublish, { query, body })).body;
  };
  return {
    draft,
    plan,
    removed,
    isBusy: sending.isBusy,
    problem: sending.error,
    errors: check(draft, isSubmitted),
    change(change: Change) {
      url.set(change);
      sending.clear();
      setPlan(undefined);
    },
    async review(): Promise<void> {
      setSubmitted(true);
      if (Object.keys(check(draft, true)).length > 0) return;
      if (await sending.send(async () => setPlan(await send(true)))) url.set({ step: 'review' }, 'push');
    },
    async unpublish(): Promise<void> {
      await sending.send(async () => {
        setRemoved(await send(false));
        setPlan(undefined);
        await invalidate(queryClient, routes.service.list, routes.fleet.services, routes.overview.read);
      });
    },
    restart() {
      sending.clear();
      setSubmitted(false);
      setRemoved(undefined);
      url.set({ step: undefined, host: undefined, path: undefined, listener: undefined });
    },
  };
}

export type Unpublishing = ReturnType<typeof useUnpublish>;

function check({ hosts, path }: Draft, isWhole: boolean): { readonly hosts?: string; readonly path?: string } {
  const host = hosts.map((one) => ({ one, parsed: parsePublishedHost(one) })).find(({ parsed }) => !parsed.ok);
  const parsed = path === '' ? undefined : parsePublishedPath(path);
  return {
    ...(isWhole && hosts.length === 0 && { hosts: texts.draft.noHost }),
    ...(host && !host.parsed.ok && { hosts: texts.draft.host(host.one, host.parsed.message) }),
    ...(parsed && !parsed.ok && { path: parsed.message }),
  };
}
