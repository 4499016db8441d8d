/* Functions of all report pages. */
const get = id => document.getElementById(id);

/* Names and lines of files reach the page only through this function, as text and never as HTML. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== undefined) element.setAttribute(name, value);
  for (const child of children) if (child !== "") element.append(child);
  return element;
}
const count = n => n.toLocaleString("en");
const some = (n, one, many) => `${count(n)} ${n === 1 ? one : many || one + "s"}`;
function bytes(n) {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (n >= 999.95 && unit < 5) { n /= 1000; unit++; }
  return (unit === 0 ? n : n.toFixed(1)) + " " + (n === 1 && unit === 0 ? "byte" : units[unit]);
}
/* Directories that are not below another one. */
function outermost(directories) {
  return directories.filter(inner => !directories.some(outer => outer !== inner && inner.startsWith(outer.endsWith("/") ? outer : outer + "/")));
}
/* " in A, B and 3 more" */
function placesIn(directories) {
  const all = outermost(directories), shown = all.slice(0, all.length > 3 ? 2 : 3);
  const names = all.length > shown.length ? [...shown, `${count(all.length - shown.length)} more`] : shown;
  return names.length === 0 ? "" : " in " + (names.length === 1 ? names[0] : names.slice(0, -1).join(", ") + " and " + names[names.length - 1]);
}
/* The share of a folder that another one also has: 100 only for all of it, and 0 only for nothing. */
const percentOf = side => side.shared_bytes === 0 ? 0 : Math.max(1, Math.min(side.same < side.files ? 99 : 100, Math.floor(100 * side.shared_bytes / side.bytes)));
const quoted = word => /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function nameTheme() { get("theme").textContent = isDark() ? "Light" : "Dark"; }
