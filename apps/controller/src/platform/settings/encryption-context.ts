export const settingContext = (project: string | null, key: string, name: string) =>
  `settings/${project ?? 'installation'}/${key}/${name}`;
