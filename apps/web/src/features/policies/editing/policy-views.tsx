import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import classes from './editing.module.css';
import { texts } from './texts.tsx';

const words = texts.policyViews;

const WIDE = '(min-width: 1100px)';

export type PolicyView = 'both' | 'form' | 'text';

/** Returns the view of the policy that the URL names. A narrow window has room for one view. */
export function usePolicyView(): { readonly view: PolicyView; readonly isWide: boolean } {
  const url = useUrlState();
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const asked = url.get('view');
  // The link points to a line of the text.
  const usual = isWide ? 'both' : url.get('line') === undefined ? 'form' : 'text';
  const view = asked === 'form' || asked === 'text' ? asked : usual;
  return { view, isWide };
}

export function PolicyViewChoice({ view, isWide }: { view: PolicyView; isWide: boolean }) {
  const url = useUrlState();
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.view}
      data={[
        ...(isWide ? [{ value: 'both', label: words.both }] : []),
        { value: 'form', label: words.form },
        { value: 'text', label: words.text },
      ]}
      value={view}
      onChange={(next) => url.set({ view: next === 'both' ? undefined : next })}
    />
  );
}

/** Shows form and text side by side, or one of them. */
export function PolicyViews({ view, form, text }: { view: PolicyView; form: ReactNode; text: ReactNode }) {
  return (
    <div className={view === 'both' ? classes.views : undefined}>
      {view !== 'text' && <div className={classes.formView}>{form}</div>}
      {view !== 'form' && <div className={classes.textView}>{text}</div>}
    </div>
  );
}
