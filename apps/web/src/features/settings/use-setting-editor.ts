import type { SettingView } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, keepAnswer, type Loaded, routes } from '../../api/index.ts';
import { type Conflict, isStale } from '../../changes/index.ts';
import { formatAgo, useSending } from '../../ui/index.ts';
import type { FieldSpec } from './schema-fields.ts';
import { NO_SECRETS, type Secrets, toBody, type Values, withSecret } from './values.ts';

/** Location of a document; documents of some kinds have a name. */
export interface SettingPlace {
  readonly key: string;
  readonly name: string | undefined;
  readonly query: { readonly project?: string };
}

/** A confirmation that the controller requires, because the change would lock users out. */
export interface Question {
  readonly people: number;
  readonly host: string;
}

/** The draft of a document, and the document at the start of editing. */
interface Draft {
  readonly base: Values;
  readonly etag: string | undefined;
  readonly values: Values;
  /** Kept only in the memory of this page. */
  readonly secrets: Secrets;
}

/**
 * Edits a document that others may change meanwhile: updates do not touch the draft, and saving over another change is
 * a conflict. Typed secrets are sent once and then forgotten.
 */
export function useSettingEditor(stored: Loaded<SettingView>, place: SettingPlace, fields: readonly FieldSpec[]) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const { now, forget, ...draft } = useDraft(stored);
  const [question, setQuestion] = useState<Question>();
  const [conflict, setConflict] = useState<{ shown: Conflict; theirs: Loaded<SettingView> }>();
  const compare = async () => {
    const theirs = await read(place);
    setConflict({ theirs, shown: toConflict(now, theirs.body) });
  };
  /** Resolves with whether it was saved. `confirm` answers the confirmation that the controller required. */
  const save = async (confirm?: number): Promise<boolean> => {
    let isStored = false;
    setQuestion(undefined);
    await sending.send(async () => {
      try {
        const answer = await replace(place, {
          body: toBody(fields, now.values, now.secrets),
          ifMatch: now.etag,
          confirm,
        });
        keep(queryClient, place, answer);
        forget();
        isStored = true;
        void invalidate(queryClient, routes.setting.kinds);
      } catch (error) {
        const asked = questionOf(error);
        if (asked) setQuestion(asked);
        else if (isStale(error)) await compare();
        else throw error;
      }
    });
    return isStored;
  };
  const resolve = (text: string) => {
    if (!conflict) return;
    const { theirs } = conflict;
    draft.rebase(theirs, JSON.parse(text) as Values);
    keep(queryClient, place, theirs);
    setConflict(undefined);
  };
  return {
    ...draft,
    values: now.values,
    secrets: now.secrets,
    discard: () => {
      forget();
      sending.clear();
    },
    sending,
    save,
    conflict: conflict?.shown,
    resolve,
    closeConflict: () => setConflict(undefined),
    question,
    closeQuestion: () => setQuestion(undefined),
    body: () => toBody(fields, now.values, now.secrets),
  };
}

function useDraft(stored: Loaded<SettingView>) {
  const [draft, setDraft] = useState<Draft>();
  const [edition, setEdition] = useState(0);
  const now = draft ?? { base: stored.body.value, etag: stored.etag, values: stored.body.value, secrets: NO_SECRETS };
  return {
    now,
    isChanged: draft !== undefined,
    /** Changes after a save or discard, so that inputs start again from the document. */
    edition,
    setValues: (values: Values) => setDraft({ ...now, values }),
    setSecret: (path: string, secret: string | null | undefined) =>
      setDraft({ ...now, secrets: withSecret(now.secrets, path, secret) }),
    rebase: (theirs: Loaded<SettingView>, values: Values) =>
      setDraft({ base: theirs.body.value, etag: theirs.etag, values, secrets: now.secrets }),
    forget: () => {
      setDraft(undefined);
      setEdition((before) => before + 1);
    },
  };
}

/** Returns the confirmation that the controller requires; undefined for any other error. */
function questionOf(error: unknown): Question | undefined {
  if (!(error instanceof ApiError) || error.code !== 'setting.locks_out') return undefined;
  const { people, host } = error.body as { people?: unknown; host?: unknown };
  return typeof people === 'number' && typeof host === 'string' ? { people, host } : undefined;
}

export function errorsOf(error: unknown): ReadonlyMap<string, string> {
  return new Map(error instanceof ApiError ? error.details.map(({ path, message }) => [path, message]) : []);
}

function toConflict(draft: Draft, theirs: SettingView): Conflict {
  const format = (values: Values) => JSON.stringify(values, null, 2);
  return {
    base: format(draft.base),
    mine: format(draft.values),
    theirs: format(theirs.value),
    theirsLabel: [theirs.updated_by, theirs.updated_at && formatAgo(Date.parse(theirs.updated_at), Date.now())]
      .filter(Boolean)
      .join(', '),
  };
}

async function read({ key, name, query }: SettingPlace): Promise<Loaded<SettingView>> {
  return name === undefined
    ? call(routes.setting.get, { params: { key }, query })
    : call(routes.setting.getNamed, { params: { key, name }, query });
}

async function replace(
  { key, name, query: place }: SettingPlace,
  { body, ifMatch, confirm }: { body: Values; ifMatch: string | undefined; confirm: number | undefined },
) {
  const options = ifMatch === undefined ? {} : { ifMatch };
  const query = { ...place, ...(confirm !== undefined && { confirm }) };
  return name === undefined
    ? call(routes.setting.replace, { params: { key }, query, body }, options)
    : call(routes.setting.replaceNamed, { params: { key, name }, query, body }, options);
}

function keep(client: ReturnType<typeof useQueryClient>, place: SettingPlace, answer: Loaded<SettingView>): void {
  const { key, name, query } = place;
  if (name === undefined) keepAnswer(client, routes.setting.get, { input: { params: { key }, query }, answer });
  else keepAnswer(client, routes.setting.getNamed, { input: { params: { key, name }, query }, answer });
}
