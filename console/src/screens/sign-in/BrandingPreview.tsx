import type { BrandingImages, Settings } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { PreviewCard } from './PreviewCard.tsx';
import { previewedAddress, versionOf } from './previewed.ts';

type Preview = Pick<Settings, 'branding' | 'signInLayout' | 'defaultLanguage'> & { images: BrandingImages };

/** Previews of the pages and messages of a project with unsaved changes. */
export function BrandingPreview({ branding, images, signInLayout, defaultLanguage }: Preview) {
  const templates = useApi().useQuery('get', '/console/v1/settings/messages', {
    params: { query: { locale: 'en', limit: 100 } },
  });
  const draft = {
    branding: { ...branding, logoUrl: previewedAddress(branding.logoUrl), links: addressesOf(branding.links) },
    signInLayout,
  };
  return (
    <PreviewCard
      path="/console/v1/branding/preview"
      draft={draft}
      version={versionOf(images)}
      messages={(templates.data?.items ?? []).map(({ template }) => template)}
      locale={defaultLanguage}
    />
  );
}

/** Links without those that are half typed, which the server would refuse. */
function addressesOf(links: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(links).filter(([label, address]) => label !== '' && previewedAddress(address) !== null),
  );
}
