import { type ReactNode, useContext, useEffect, useId, useSyncExternalStore } from 'react';
import { SegmentedControl } from '../controls/segmented-control.tsx';
import styles from '../form.module.css';
import { PrivateContext, useForm } from '../form-context.ts';
import compact from './compact.module.css';
import type { CompactEditor, CompactEditorProps } from './compact-editor.ts';
import { texts } from './texts.tsx';

const text = texts.view;

interface CompactViewProps extends CompactEditorProps {
  readonly editor: CompactEditor;
  readonly label: string;
  /** All fields of the value. */
  readonly children: ReactNode;
}

/** Shows the compact editor of a value, or all its fields if someone chose them, the focus is inside, or the editor cannot show the value. */
export function CompactView({ editor, value, at, label, children }: CompactViewProps) {
  const { state } = useForm();
  const id = useId();
  const places = useContext(PrivateContext);
  const isFull = useSyncExternalStore(state.subscribe, () => state.isFull(at));
  const isWanted = useSyncExternalStore(state.subscribe, () => state.isFocusInside(at));
  useEffect(() => {
    if (isWanted) state.setFull(at, true);
  }, [isWanted, state, at]);
  const reason = places.isTied(at) ? text.secrets : editor.refuse(value);
  if (reason !== undefined) {
    return (
      <>
        <p className={styles.lead}>{text.refused(reason)}</p>
        {children}
      </>
    );
  }
  return (
    <>
      <div className={compact.switch}>
        <SegmentedControl
          id={id}
          label={text.layout(label)}
          describedBy={undefined}
          options={[
            { id: 'compact', label: text.compact },
            { id: 'full', label: text.full },
          ]}
          selected={isFull ? 'full' : 'compact'}
          readOnly={false}
          onSelect={(chosen) => state.setFull(at, chosen === 'full')}
        />
      </div>
      {isFull ? children : <editor.Editor value={value} at={at} />}
    </>
  );
}
