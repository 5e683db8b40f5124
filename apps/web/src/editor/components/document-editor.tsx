import { texts } from '../../texts/index.ts';
import { SchemaEditor, type SchemaEditorProps } from './schema-editor.tsx';

const text = texts.editor.components.documentEditor;

export type DocumentEditorProps = Omit<SchemaEditorProps, 'dialect' | 'snippets' | 'ariaLabel'> & {
  readonly ariaLabel?: string;
};

/** Code view of a document that is an Envoy message. */
export function DocumentEditor({ ariaLabel = text.title, ...props }: DocumentEditorProps) {
  return <SchemaEditor {...props} ariaLabel={ariaLabel} dialect="proto" />;
}
