import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { RouteRef, SettingKindRef } from '../api/index.ts';

/**
 * The file `screens.ts` of a feature says everything that the frame needs to know about its screens. The router, the navigation, the
 * palette, the shortcuts and the settings loop over these files; nothing keeps its own list.
 */
export interface Screens<Path extends string = string> {
  /** Pages below `/p/$project` have the frame of that project. Each page is loaded when it is first opened. */
  readonly pages?: Readonly<Record<Path, RouteComponent>>;
  readonly links?: readonly NavigationLink<NoInfer<Path>>[];
  /** Further entries of the palette. */
  readonly actions?: readonly Action<NoInfer<Path>>[];
  readonly settings?: readonly SettingsPage[];
}

/** Every feature with pages adds the type of its screens here: links to its pages are checked against it. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it.
export interface AllScreens {}

export interface Destination<Path extends string = string> {
  readonly label: string;
  readonly to: Path;
  readonly params?: Readonly<Record<string, string>>;
  /** Shown with permission for this route. */
  readonly needs: Pick<RouteRef, 'id' | 'access'>;
  /** Additional words that the palette finds it by. */
  readonly words?: string;
}

export interface Action<Path extends string = string> extends Destination<Path> {
  /** Listed with the profile and the help. */
  readonly isAboutAccount?: true;
  readonly search?: Readonly<Record<string, string>>;
}

export interface NavigationLink<Path extends string = string> extends Destination<Path> {
  readonly area: 'top' | 'configuration' | 'security' | 'administration' | 'installation';
  /** The place in the area, from the top. */
  readonly order: number;
  readonly icon: ComponentType<{ readonly size?: number }>;
  /** The letter that opens the page after `g`. */
  readonly goKey?: string;
  /** Shown after the label. */
  readonly beside?: ComponentType;
}

/** A page of the settings, at `/settings/<id>` or `/p/<project>/settings/<id>`; it renders its own `Page`. */
export interface SettingsPage {
  readonly id: string;
  readonly scope: 'installation' | 'project';
  readonly area: SettingKindRef['area'];
  readonly label: string;
  /** Shown with permission for this route. */
  readonly needs: RouteRef;
  /** Additional search words for the palette. */
  readonly words?: string;
  readonly page: ComponentType;
}

export function defineScreens<const Path extends string = never>(screens: Screens<Path>): Screens<Path> {
  return screens;
}
