import { useEffect, useMemo, useRef, useState } from 'react';
import { convertText, DocumentEditor, type DocumentError } from '../../editor/index.ts';
import type { JsonObject, SchemaSource } from '../../forms/index.ts';
import type { ResourceDraft } from './draft-model.ts';

export interface CodeViewProps {
  readonly type: string;
  readonly source: SchemaSource;
  readonly language: 'json' | 'yaml';
  readonly draft: ResourceDraft;
  readonly onChange: (draft: ResourceDraft) => void;
  readonly errors: readonly DocumentError[];
  readonly readOnly: boolean;
}

/** Letters that are read at every key; of more, only what stands after a pause. */
const AT_ONCE_MAX = 20_000;
const GATHER_MS = 250;

/** The document as code. The text is the writer's own: it is made anew only when the document changed elsewhere. */
export function CodeView({ type, source, language, draft, onChange, errors, readOnly }: CodeViewProps) {
  const [text, setText] = useState(() => textOf(draft, language));
  /** The resource that `text` stands for. */
  const shown = useRef<{ resource: JsonObject; language: string }>({ resource: draft.resource, language });
  const current = useMemo(() => {
    const isOurs = shown.current.resource === draft.resource && shown.current.language === language;
    if (isOurs) return text;
    shown.current = { resource: draft.resource, language };
    return textOf(draft, language);
  }, [draft, language, text]);

  const settle = (next: string) => {
    const resource = readResource(next);
    if (resource === undefined) {
      onChange({ ...draft, brokenText: { language, text: next } });
      return;
    }
    shown.current = { resource, language };
    const { brokenText: _, ...rest } = draft;
    onChange({ ...rest, resource });
  };
  const change = (next: string) => {
    setText(next);
    if (next.length <= AT_ONCE_MAX) settle(next);
    else onChange({ ...draft, brokenText: { language, text: next, isUnread: true } });
  };
  const unread = draft.brokenText?.isUnread ? draft.brokenText : undefined;
  const settleNow = useRef(settle);
  settleNow.current = settle;
  useEffect(() => {
    if (!unread) return undefined;
    const timer = setTimeout(() => settleNow.current(unread.text), GATHER_MS);
    return () => clearTimeout(timer);
  }, [unread]);
  return (
    <DocumentEditor
      type={type}
      source={source}
      value={current}
      onChange={change}
      errors={errors}
      language={language}
      readOnly={readOnly}
      minHeight="360px"
    />
  );
}

function textOf({ resource, brokenText }: ResourceDraft, language: 'json' | 'yaml'): string {
  if (brokenText?.language === language) return brokenText.text;
  // Nothing yet: what is typed first stands at the beginning.
  if (language === 'yaml' && Object.keys(resource).length === 0) return '';
  const json = `${JSON.stringify(resource, null, 2)}\n`;
  return language === 'json' ? json : (convertText(json, 'yaml') ?? json);
}

/** Undefined: no object can be read from it. An empty text is an empty document. */
function readResource(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  const json = convertText(text, 'json');
  if (json === undefined) return undefined;
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
