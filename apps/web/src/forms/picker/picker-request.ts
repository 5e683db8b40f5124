import type { Option } from '../model/search.ts';

/** A request to the form's picker. */
export interface PickerRequest {
  /** Opens under this element and returns the focus to it. */
  readonly anchor: HTMLElement;
  readonly title: string;
  /** undefined: loading, replaced later. */
  readonly options: readonly Option[] | (() => Promise<readonly Option[]>);
  /** Loads matching options that `options` omits. */
  readonly more?: ((query: string) => Promise<readonly Option[]>) | undefined;
  readonly selected?: string | undefined;
  readonly onPick: (id: string) => void;
}
