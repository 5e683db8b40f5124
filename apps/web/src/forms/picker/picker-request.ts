import type { Option } from '../model/search.ts';

/** What the form's one picker shows, and to whom it answers. */
export interface PickerRequest {
  /** It opens under this element, and the focus goes back there. */
  readonly anchor: HTMLElement;
  readonly title: string;
  /** Undefined inside: being fetched, then replaced. */
  readonly options: readonly Option[] | (() => Promise<readonly Option[]>);
  /** Those that `options` left out and that hold what is typed. */
  readonly more?: ((query: string) => Promise<readonly Option[]>) | undefined;
  readonly selected?: string | undefined;
  readonly onPick: (id: string) => void;
}
