// Before the first paint, so that nobody who chose dark sees a white flash. Not inline: the page's policy forbids that.
{
  const chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  const isDark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}
