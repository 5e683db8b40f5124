import { autocompletion } from '@codemirror/autocomplete';
import { openLintPanel } from '@codemirror/lint';
import { openSearchPanel } from '@codemirror/search';
import type { EditorView } from '@codemirror/view';
import { Button, Group, Text } from '@mantine/core';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { SchemaSource } from '../../forms/schema-source.ts';
import { schemaCompletion } from '../codemirror/completion.ts';
import { checks, setServerErrors } from '../codemirror/diagnostics.ts';
import { formatDocument } from '../codemirror/format-command.ts';
import { schemaHover } from '../codemirror/hover.ts';
import type { Problem } from '../document/problems.ts';
import { READ_MAX } from '../document/read.ts';
import type { DocumentError } from '../document/server-errors.ts';
import type { Language } from '../document/tree.ts';
import type { Dialect } from '../schema/lint.ts';
import type { Snippet } from '../suggest/suggestion.ts';
import { CodeEditor, type CodeEditorProps } from './code-editor.tsx';
import { texts } from './texts.tsx';

const text = texts.schemaEditor;

export interface SchemaEditorProps extends Omit<CodeEditorProps, 'extensions' | 'viewRef'> {
  /** Full name of the message type of the document. */
  readonly type: string;
  /** Must be the same object between renders. */
  readonly source: SchemaSource;
  readonly dialect: Dialect;
  readonly snippets?: readonly Snippet[] | undefined;
  /** The server's errors about the current text. Must be the same object until they change. */
  readonly errors?: readonly DocumentError[] | undefined;
  readonly onProblems?: ((problems: readonly Problem[]) => void) | undefined;
}

const NO_ERRORS: readonly DocumentError[] = [];

/** Editor with a schema: completion, hover, inline checks. */
export function SchemaEditor({
  type,
  source,
  dialect,
  snippets,
  errors = NO_ERRORS,
  onProblems,
  ...rest
}: SchemaEditorProps) {
  const { language, readOnly = false, value } = rest;
  const view = useRef<EditorView>(null);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const tell = useRef(onProblems);
  tell.current = onProblems;

  const extensions = useMemo(
    () => [
      readOnly
        ? []
        : autocompletion({ override: [schemaCompletion({ source, type, language, ...(snippets && { snippets }) })] }),
      schemaHover({ source, type, language }),
      checks({
        language,
        schema: { source, type, dialect },
        onProblems: (found) => {
          setProblems(found);
          tell.current?.(found);
        },
      }),
    ],
    [source, type, dialect, snippets, language, readOnly],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: another configuration is another editor, which knows no errors yet
  useEffect(() => {
    view.current?.dispatch({ effects: setServerErrors.of(errors) });
  }, [errors, extensions]);

  return (
    <div>
      <CodeEditor {...rest} extensions={extensions} viewRef={view} />
      <Group justify="space-between" gap="xs" mt={6}>
        <ProblemCount
          problems={problems}
          isTooLarge={value.length > READ_MAX[language]}
          language={language}
          onOpen={() => view.current && openLintPanel(view.current)}
        />
        <EditorTools view={view} language={language} readOnly={readOnly} />
      </Group>
    </div>
  );
}

interface EditorToolsProps {
  readonly view: RefObject<EditorView | null>;
  readonly language: Language;
  readonly readOnly: boolean;
}

function EditorTools({ view, language, readOnly }: EditorToolsProps) {
  return (
    <Group gap={4}>
      <Button size="compact-xs" variant="subtle" onClick={() => view.current && openSearchPanel(view.current)}>
        {text.bar.search}
      </Button>
      {!readOnly && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => view.current && formatDocument(language)(view.current)}
        >
          {text.bar.format}
        </Button>
      )}
    </Group>
  );
}

interface ProblemCountProps {
  readonly problems: readonly Problem[];
  readonly isTooLarge: boolean;
  readonly language: Language;
  readonly onOpen: () => void;
}

function ProblemCount({ problems, isTooLarge, language, onOpen }: ProblemCountProps) {
  if (isTooLarge) {
    return (
      <Text size="xs" role="status">
        {text.problems.tooLarge(language === 'yaml' ? text.problems.jsonMayBeLarger : '')}
      </Text>
    );
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const words = text.problems.found(errors, warnings);
  return (
    <Text size="xs" role="status" component="div">
      {words === '' ? (
        text.problems.none
      ) : (
        <Button size="compact-xs" variant="subtle" color="gray" c="var(--mantine-color-text)" onClick={onOpen}>
          {text.problems.show(errors > 0 ? '✕' : '!', words)}
        </Button>
      )}
    </Text>
  );
}
