import { SchemaEditor, type SchemaEditorProps } from './schema-editor.tsx';
import { texts } from './texts.tsx';

const text = texts.documentEditor;

export type DocumentEditorProps = Omit<SchemaEditorProps, 'dialect' | 'snippets' | 'ariaLabel'> & {
  readonly ariaLabel?: string;
};

/** Code view of a document that is an Envoy message. */
export function DocumentEditor({ ariaLabel = text.title, ...props }: DocumentEditorProps) {
  return <SchemaEditor {...props} ariaLabel={ariaLabel} dialect="proto" />;
}
