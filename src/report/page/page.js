/* What the pages of reports share. */
const get = id => document.getElementById(id);

/* Names and lines of files reach the page only through here: as text, never as HTML. */
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
  while (n >= 999.5 && unit < 5) { n /= 1000; unit++; }
  return (unit === 0 ? n : n.toPrecision(3)) + " " + (n === 1 && unit === 0 ? "byte" : units[unit]);
}
const quoted = word => /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function nameTheme() { get("theme").textContent = isDark() ? "Light" : "Dark"; }
