const KEY = 'last-project';

/** Name of the last open project in this browser. */
export function recallProject(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

export function rememberProject(name: string): void {
  localStorage.setItem(KEY, name);
}
