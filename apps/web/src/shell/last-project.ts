const KEY = 'last-project';

/** Name of the project that this browser showed last. */
export function recallProject(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

export function rememberProject(name: string): void {
  localStorage.setItem(KEY, name);
}
