import { useEffect, useMemo, useRef, useState } from 'react';
import { convertText, DocumentEditor, type DocumentError } from '../../editor/index.ts';
import type { JsonObject, SchemaSource } from '../../forms/index.ts';
import { readComments, yamlOf } from './comments/index.ts';
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

/** Texts up to this length are parsed on every keystroke, longer ones after a pause. */
const AT_ONCE_MAX = 20_000;
const GATHER_MS = 250;

/** Shows the document as code. Keeps the user's text, and generates it again only when the document changed elsewhere. */
export function CodeView({ type, source, language, draft, onChange, errors, readOnly }: CodeViewProps) {
  const [text, setText] = useState(() => textOf(draft, language));
  /** The resource that `text` represents. */
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
    // Comments are part of the YAML text. JSON has none, so existing ones stay.
    const commented = language === 'yaml' && { commented: { resource, text: next, comments: readComments(next) } };
    onChange({ ...rest, resource, ...commented });
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

function textOf(draft: ResourceDraft, language: 'json' | 'yaml'): string {
  const { resource, brokenText, commented } = draft;
  if (brokenText?.language === language) return brokenText.text;
  if (language === 'yaml' && commented) return yamlOf(draft);
  // An empty document starts with an empty text.
  if (language === 'yaml' && Object.keys(resource).length === 0) return '';
  const json = `${JSON.stringify(resource, null, 2)}\n`;
  return language === 'json' ? json : (convertText(json, 'yaml') ?? json);
}

/** Parses the text; undefined if it is not an object. An empty text is an empty document. */
function readResource(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  const json = convertText(text, 'json');
  if (json === undefined) return undefined;
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
