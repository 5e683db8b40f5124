import { useMemo } from 'react';
import type { RevealedLine } from '../codemirror/reveal.ts';
import type { Problem } from '../document/problems.ts';
import { POLICY_TYPE } from '../policy/policy-messages.ts';
import { POLICY_SNIPPETS, policySource } from '../policy/policy-source.ts';
import { SchemaEditor } from './schema-editor.tsx';
import { texts } from './texts.tsx';

const words = texts.policyEditor;

/** An error from the policy package: by path, with line and column. */
export interface PolicyError {
  readonly path: string;
  readonly rule?: string | undefined;
  readonly message: string;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based. */
  readonly column?: number | undefined;
}

export interface PolicyEditorProps {
  /** YAML, which includes JSON. */
  readonly text: string;
  readonly onChange?: ((text: string) => void) | undefined;
  readonly errors?: readonly PolicyError[] | undefined;
  readonly readOnly?: boolean | undefined;
  readonly ariaLabel?: string | undefined;
  readonly minHeight?: string | undefined;
  readonly maxHeight?: string | undefined;
  readonly onCursorPath?: ((path: string) => void) | undefined;
  readonly revealed?: RevealedLine | undefined;
  readonly onProblems?: ((problems: readonly Problem[]) => void) | undefined;
}

/** Code view of a security policy. */
export function PolicyEditor({ text, errors, ariaLabel = words.title, ...rest }: PolicyEditorProps) {
  const serverErrors = useMemo(() => errors?.map((error) => ({ ...error, rule: error.rule ?? '' })), [errors]);
  return (
    <SchemaEditor
      {...rest}
      value={text}
      language="yaml"
      type={POLICY_TYPE}
      source={policySource}
      dialect="policy"
      snippets={POLICY_SNIPPETS}
      errors={serverErrors}
      ariaLabel={ariaLabel}
    />
  );
}
