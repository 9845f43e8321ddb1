// A stand-in for Headlamp, for the demo and its tests: the three names that the plugin imports, over fixed objects
// instead of an API server. The section is not tested in Headlamp itself.
import { objects } from "./objects.js";

const sections = [];

export function registerDetailsViewSection(section) {
  sections.push(section);
}

export const ApiProxy = {
  /** A list, as Headlamp reads it from the API server. */
  async request(path) {
    const plural = path.split("/").at(-1);
    const items = objects.filter((it) => `${it.kind.toLowerCase()}s` === plural);
    return { kind: "List", items };
  },
};

export function SectionBox({ title, children }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The details page of one resource, with the sections that plugins add. */
export function DetailsView({ resource }) {
  return (
    <>
      <h1>{resource.kind}: {resource.metadata.name}</h1>
      {sections.map((Section, at) => <Section key={at} resource={resource} />)}
    </>
  );
}
