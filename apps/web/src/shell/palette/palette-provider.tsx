import { useHotkeys } from '@mantine/hooks';
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useSession } from '../../api/index.ts';
import { PaletteState } from './palette-state.ts';

const fetchPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await fetchPalette()).Palette }));
/** Delay before the palette is loaded, so that the page itself loads first. */
const PALETTE_AFTER_MS = 1000;

interface PaletteAccess {
  readonly palette: PaletteState;
  readonly open: () => void;
}

const PaletteContext = createContext<PaletteAccess | undefined>(undefined);

/** Surrounds the frames, so that typed text survives a change of frame. */
export function PaletteProvider({ children }: { children: ReactNode }) {
  const [palette] = useState(() => new PaletteState());
  const { isOpen } = useSyncExternalStore(palette.subscribe, palette.view);
  const isSignedIn = useSession().status === 'signedIn';
  const opener = useRef<Element>(null);
  const access = useMemo(() => {
    const open = () => {
      opener.current = document.activeElement;
      palette.open();
    };
    return { palette, open };
  }, [palette]);
  // A sign-in form gets its own keys from its first render.
  useLayoutEffect(() => (isSignedIn ? palette.close : undefined), [palette, isSignedIn]);
  // A chunk that fails to load ends in an error page, which needs its keys.
  useEffect(() => {
    if (isOpen) fetchPalette().catch(palette.close);
  }, [palette, isOpen]);
  // Immediately: a dialog restores the focus after a delay, when the palette may be open again.
  useEffect(() => {
    if (isOpen || !(opener.current instanceof HTMLElement)) return;
    if (opener.current.isConnected) opener.current.focus({ preventScroll: true });
    opener.current = null;
  }, [isOpen]);
  useHotkeys(isSignedIn ? [['mod+K', isOpen ? palette.close : access.open]] : [], []);
  // Preloads the palette, because users who press Ctrl-K type on at once.
  useEffect(() => {
    const timer = setTimeout(() => void fetchPalette().catch(() => undefined), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <PaletteContext value={access}>{children}</PaletteContext>;
}

function usePalette(): PaletteAccess {
  const access = useContext(PaletteContext);
  if (!access) throw new Error('PaletteProvider is missing');
  return access;
}

export function useOpenPalette(): () => void {
  return usePalette().open;
}

/** Renders within a frame: the palette searches the project of that frame. */
export function OpenPalette({ openShortcuts }: { openShortcuts: () => void }) {
  const { palette } = usePalette();
  const { isOpen } = useSyncExternalStore(palette.subscribe, palette.view);
  if (!isOpen) return null;
  return (
    <Suspense>
      <Palette state={palette} openShortcuts={openShortcuts} />
    </Suspense>
  );
}
