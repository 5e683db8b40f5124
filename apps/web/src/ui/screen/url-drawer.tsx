import { Drawer } from '@mantine/core';
import { createContext, Fragment, type ReactNode, useContext, useEffect, useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { useKept } from '../use-kept.ts';

interface UrlDrawerProps {
  /** The parameter of the URL that opens it. */
  readonly name: string;
  /** Opens it only for this value, as in `?create=group`, or for any of several, which share the state of the content. */
  readonly value?: string | readonly string[];
  readonly title: string;
  /** A size of Mantine or a width of CSS. */
  readonly size?: string;
  /** False: it stays closed, for example without permission. */
  readonly isAllowed?: boolean;
  /** True: nothing is readable while the drawer fades out. */
  readonly holdsSecret?: boolean;
  /** Gets the value of the parameter, such as an ID. */
  readonly children: (value: string, close: () => void) => ReactNode;
}

/** A drawer that the URL opens. Each value starts with a new state. The content stays while the drawer closes. */
export function UrlDrawer(props: UrlDrawerProps) {
  const { name, value, title, size, isAllowed = true, holdsSecret = false, children } = props;
  const url = useUrlState();
  const found = url.get(name);
  const opened = isAllowed && found !== undefined && isAmong(found, value) ? found : undefined;
  const kept = useKept(opened);
  const shown = holdsSecret ? opened : kept;
  const [ownTitle, setOwnTitle] = useState<string>();
  const close = () => url.set({ [name]: undefined });
  return (
    <Drawer opened={opened !== undefined} onClose={close} title={ownTitle ?? title} {...(size && { size })}>
      <TitleContext value={setOwnTitle}>
        {shown !== undefined && <Fragment key={Array.isArray(value) ? name : shown}>{children(shown, close)}</Fragment>}
      </TitleContext>
    </Drawer>
  );
}

function isAmong(found: string, value: UrlDrawerProps['value']): boolean {
  if (value === undefined) return true;
  return typeof value === 'string' ? found === value : value.includes(found);
}

const TitleContext = createContext<(title: string | undefined) => void>(() => undefined);

/** Replaces the title of the drawer while it is shown: for the result of a form. */
export function DrawerTitle({ title }: { title: string }) {
  const set = useContext(TitleContext);
  useEffect(() => {
    set(title);
    return () => set(undefined);
  }, [title, set]);
  return null;
}
