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

/**
 * Edits a service: form -> checked (the dry run succeeded) -> saved. `conflict` ends only when the user applies their change on top of the
 * other one, or discards one.
 */
export function useServiceEditor({ opened, first }: EditorOptions) {
  const project = useProject();
  const queryClient = useQueryClient();
  const kept = useDraft<Kept>(`service ${project.id} ${opened?.service.id ?? 'new'}`);
  const [errors, setErrors] = useState<FormErrors>({});
  const [plan, setPlan] = useState<Plan>();
  const [problem, setProblem] = useState<unknown>();
  const [conflict, setConflict] = useState<Conflict>();
  const [overlaps, setOverlaps] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);

  const start: Kept = { draft: first, base: first, etag: opened?.etag };
  const { draft, base, etag } = kept.value ?? start;

  const write = async (isDryRun: boolean): Promise<WholeService> => {
    const query = { project: project.id, ...(isDryRun && { dry_run: 'true' as const }) };
    const body = toBody(draft);
    if (!opened) return (await call(routes.service.create, { query, body })).body;
    const input = { params: { service_id: opened.service.id }, query, body };
    return (await call(routes.service.replace, input, etag === undefined ? {} : { ifMatch: etag })).body;
  };

  const run = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setProblem(undefined);
    try {
      return await work();
    } catch (failure) {
      if (isStale(failure) && opened) await meetTheirs(opened.service.id);
      else {
        setErrors(toFormErrors(failure));
        setProblem(failure);
      }
      return undefined;
    } finally {
      setBusy(false);
    }
  };

  const meetTheirs = async (serviceId: string) => {
    const theirs = await call(routes.service.read, {
      params: { service_id: serviceId },
      query: { project: project.id },
    });
    setConflict({ theirs: { service: theirs.body, etag: theirs.etag } });
  };

  return {
    draft,
    base,
    errors,
    plan,
    problem,
    conflict,
    overlaps,
    isBusy,
    /** Whether the draft was restored after a reload. */
    isRestored: kept.isRestored,
    isTouched: kept.value !== undefined,
    /** ETag of the revision that the draft applies to. */
    etag,

    change(change: Partial<ServiceDraft>) {
      kept.set({ draft: { ...draft, ...change }, base, etag });
      setPlan(undefined);
      setProblem(undefined);
      setErrors((before) =>
        Object.fromEntries(Object.entries(before).filter(([field]) => !Object.hasOwn(change, field))),
      );
    },
    discard() {
      kept.clear();
      setPlan(undefined);
      setErrors({});
      setProblem(undefined);
      setConflict(undefined);
    },
    /** Resolves with whether there is a plan to review. */
    async check(): Promise<boolean> {
      const problems = checkDraft(draft);
      setErrors(problems);
      if (Object.keys(problems).length > 0) return false;
      const answer = await run(() => write(true));
      if (answer) {
        const { diff, nodes = [] } = answer;
        setPlan({ diff, after: toDraft(answer), nodes, addresses: answer });
      }
      return answer !== undefined;
    },
    async save(): Promise<WholeService | undefined> {
      const saved = await run(() => write(false));
      if (!saved) return undefined;
      kept.clear();
      await invalidate(queryClient, routes.service.detail, routes.service.list, routes.service.revisions);
      return saved;
    },
    async lookAtTheirs() {
      if (opened) await run(() => meetTheirs(opened.service.id));
    },
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
