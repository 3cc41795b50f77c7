// Runs before the first paint, so that a chosen theme never flashes.
const chosen = localStorage.getItem('mantine-color-scheme-value');
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
