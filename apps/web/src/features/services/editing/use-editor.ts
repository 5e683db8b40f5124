import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { type Difference, isStale, useDraft } from '../../../changes/index.ts';
import type { WholeService } from '../types.ts';
import { checkDraft, fieldOf, type ServiceDraft, toBody, toDraft } from './draft.ts';
import { rebase } from './rebase.ts';
import type { FormErrors } from './service-form.tsx';

/** A service at the start of editing. */
export interface Opened {
  readonly service: WholeService;
  readonly etag: string | undefined;
}

/** The stored state of the editor. */
interface Kept {
  readonly draft: ServiceDraft;
  /** The draft before any edit. */
  readonly base: ServiceDraft;
  /** ETag of the revision that the draft applies to. */
  readonly etag: string | undefined;
}

/** Result of a dry run. */
export interface Plan {
  /** undefined: a new service. */
  readonly diff: readonly Difference[] | undefined;
  /** The service as it will be stored. */
  readonly after: ServiceDraft;
  readonly nodes: readonly string[];
  readonly addresses: Pick<WholeService, 'client_listeners' | 'missing_addresses'>;
}

export interface Conflict {
  readonly theirs: Opened;
}

export interface EditorOptions {
  readonly opened: Opened | undefined;
  readonly first: ServiceDraft;
}

export type ServiceEditing = ReturnType<typeof useServiceEditor>;

/**
 * Edits a service: form -> checked (the dry run succeeded) -> saved. `conflict` ends only when the user applies their change on top of the
 * other one, or discards one.
 */
export function useServiceEditor({ opened, first }: EditorOptions) {
  const project = useProject();
  const queryClient = useQueryClient();
  const kept = useDraft<Kept>(`service ${project.id} ${opened?.service.id ?? 'new'}`);
  const current: Kept = kept.value ?? { draft: first, base: first, etag: opened?.etag };
  const { draft, base, etag } = current;
  const [plan, setPlan] = useState<Plan>();
  const [conflict, setConflict] = useState<Conflict>();
  const [overlaps, setOverlaps] = useState<readonly string[]>([]);
  const meetTheirs = opened && (async () => setConflict({ theirs: await readTheirs(project.id, opened) }));
  const { run, setErrors, clear, ...attempt } = useAttempt(meetTheirs);
  const write = (isDryRun: boolean) => writeService(project.id, { opened, draft, etag }, isDryRun);
  return {
    ...current,
    plan,
    conflict,
    overlaps,
    ...attempt,
    /** Whether the draft was restored after a reload. */
    isRestored: kept.isRestored,
    isTouched: kept.value !== undefined,
    change(change: Partial<ServiceDraft>) {
      kept.set({ draft: { ...draft, ...change }, base, etag });
      setPlan(undefined);
      clear(Object.keys(change));
    },
    discard() {
      kept.clear();
      setPlan(undefined);
      setConflict(undefined);
      clear();
    },
    /** Resolves with whether there is a plan to review. */
    async check(): Promise<boolean> {
      const problems = checkDraft(draft);
      setErrors(problems);
      if (Object.keys(problems).length > 0) return false;
      const answer = await run(() => write(true));
      if (answer) setPlan(toPlan(answer));
      return answer !== undefined;
    },
    async save(): Promise<WholeService | undefined> {
      const saved = await run(() => write(false));
      if (!saved) return undefined;
      kept.clear();
      await invalidate(queryClient, routes.service.detail, routes.service.list, routes.service.revisions);
      return saved;
    },
    lookAtTheirs: async () => meetTheirs && run(meetTheirs),
    applyOnTop({ theirs }: Conflict) {
      const newest = toDraft(theirs.service);
      const { draft: merged, conflicts } = rebase(base, draft, newest);
      kept.set({ draft: merged, base: newest, etag: theirs.etag });
      setOverlaps(conflicts);
      setConflict(undefined);
      setPlan(undefined);
    },
  };
}

/** Runs a request, and keeps why it failed. `meetTheirs` is called if someone else saved the service in the meantime. */
function useAttempt(meetTheirs: (() => Promise<void>) | undefined) {
  const [errors, setErrors] = useState<FormErrors>({});
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setProblem(undefined);
    try {
      return await work();
    } catch (failure) {
      if (isStale(failure) && meetTheirs) await meetTheirs().catch(setProblem);
      else {
        setErrors(toFormErrors(failure));
        setProblem(failure);
      }
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  /** Clears the problem, and the errors of these fields or of all. */
  const clear = (fields?: readonly string[]) => {
    setProblem(undefined);
    setErrors((before) =>
      fields ? Object.fromEntries(Object.entries(before).filter(([field]) => !fields.includes(field))) : {},
    );
  };
  return { errors, problem, isBusy, run, setErrors, clear };
}

interface Write extends Pick<Kept, 'draft' | 'etag'> {
  readonly opened: Opened | undefined;
}

async function writeService(project: string, { opened, draft, etag }: Write, isDryRun: boolean): Promise<WholeService> {
  const query = { project, ...(isDryRun && { dry_run: 'true' as const }) };
  const body = toBody(draft);
  if (!opened) return (await call(routes.service.create, { query, body })).body;
  const input = { params: { service_id: opened.service.id }, query, body };
  return (await call(routes.service.replace, input, etag === undefined ? {} : { ifMatch: etag })).body;
}

async function readTheirs(project: string, { service }: Opened): Promise<Opened> {
  const { body, etag } = await call(routes.service.read, { params: { service_id: service.id }, query: { project } });
  return { service: body, etag };
}

function toPlan(planned: WholeService): Plan {
  const { diff, nodes = [] } = planned;
  return { diff, after: toDraft(planned), nodes, addresses: planned };
}

function toFormErrors(failure: unknown): FormErrors {
  if (!(failure instanceof ApiError)) return {};
  // The name is the only field of a service that must be unique.
  if (failure.code === 'record.exists') return { name: failure.message };
  const errors: Partial<Record<keyof ServiceDraft, string>> = {};
  for (const { path, message } of failure.details) {
    const field = fieldOf(path);
    if (field) errors[field] = errors[field] ? `${errors[field]} ${message}` : message;
  }
  return errors;
}
