/// Compares versions such as 1.10.2: number by number, text where there are none.
func isNewer(_ left: String?, than right: String?) -> Bool {
  let left = (left ?? "").split(separator: ".")
  let right = (right ?? "").split(separator: ".")
  for index in 0..<max(left.count, right.count) {
    let first = index < left.count ? left[index] : "0"
    let second = index < right.count ? right[index] : "0"
    if first == second { continue }
    if let first = Int(first), let second = Int(second) {
      if first == second { continue }
      return first > second
    }
    return first > second
  }
  return false
}
